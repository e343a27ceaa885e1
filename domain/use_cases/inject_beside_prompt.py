"""Print entries that are clearly relevant to a prompt, or dry-run the choice."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import (
    COLLECTIONS,
    NOWHERE,
    EntryFilter,
    PolicyName,
    Workplace,
    seen_from,
)
from hardwon.domain.model.injection.prompt_terms import (
    LONGEST_PROMPT,
    Sentence,
    asked_by,
    identifiers,
    informative_words,
    is_worth_asking,
    plain,
    weighed,
)
from hardwon.domain.model.injection.receipt import MAX_MISSED, ContextWindow, Receipt, text_digest
from hardwon.domain.model.injection.relevance_gate import (
    MAX_SHOWN,
    AgentFile,
    Contender,
    Contest,
    GateChoice,
    Rules,
    WeighedEntries,
    choose,
)
from hardwon.domain.model.keywords import MAX_TERMS
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.rank import QuestionMatches
from hardwon.domain.use_cases.recall import AnswerRating, Recall
from hardwon.domain.use_cases.retrieve import WORD_SECONDS, retire_expired
from hardwon.ports.activity import ContextWindows
from hardwon.ports.documents import Instructions
from hardwon.ports.keyword_index import KeywordIndex

LONGEST_KEPT = 500
"""The maximum length of a prompt in a receipt, in characters."""

UNKNOWN_SIZE = 100
"""The assumed number of entries when the keyword index can't count them."""

POLICY: PolicyName = COLLECTIONS["all"].policy


class Prompt(NamedTuple):
    """
    A prompt of the user.

    Attributes:
        session_id: The id given by the host; without it, earlier injections are unknown.
    """

    text: str
    session_id: str = ""
    workplace: Workplace = NOWHERE


class PromptInjection(NamedTuple):
    """
    The text to print beside a prompt.

    Attributes:
        text: At most two whole entries in the host's frame; empty for nothing.
        receipt: The receipt to store; None for an empty text.
        degradations: The missing parts of the search with their reasons, one line each.
    """

    text: str = ""
    numbers: tuple[int, ...] = ()
    receipt: Receipt | None = None
    degradations: tuple[str, ...] = ()


class InjectBesidePrompt(NamedTuple):
    """
    Search with the user's words, and print entries clearly relevant and new.

    Attributes:
        windows: Know what was shown to the session before.
        instructions: The files that the agent reads anyway.
        watch: Called with the weighed entries, also for a prompt without a possible winner.
    """

    recall: Recall
    windows: ContextWindows
    instructions: Instructions
    watch: Callable[[WeighedEntries], None] | None = None

    def text_for(self, prompt: Prompt, deadline: Deadline) -> PromptInjection:
        """
        Return the text to print beside *prompt*, most often none.

        Entries captured from the session itself are not searched.

        Args:
            prompt: The prompt; its secrets are neither searched for nor stored.
            deadline: The end of the time for searching.

        Raises:
            StorageError: the store can't be read.
        """
        if not is_worth_asking(prompt.text):
            return PromptInjection()
        public = redact(prompt.text[: 2 * LONGEST_PROMPT])[
            :LONGEST_PROMPT
        ]  # cut after redaction: a secret may cross the end
        problems = retire_expired(self.recall.repository, self.recall.clock.now())
        with self.recall.repository.snapshot():
            only = seen_from(prompt.workplace)._replace(except_session=prompt.session_id or None)
            question = question_of(public, only, prompt.workplace)
            sentences = sentences_of(public, self.recall.retrieve.keywords, deadline)
            if not any(sentences):
                return PromptInjection(degradations=problems)
            found = self.recall.search(question, deadline)
            injection = self._injection(prompt, question, sentences, found)
        return injection._replace(degradations=(*problems, *found.retrieval.degradations))

    def _injection(
        self,
        prompt: Prompt,
        question: RecallQuestion,
        sentences: tuple[Sentence, ...],
        found: QuestionMatches,
    ) -> PromptInjection:
        rated = self.recall.rank(question, found)
        contest = contest_of(question, sentences, found, rated)
        may_win = any(contest.may_win(each.score, each.parts) for each in rated[:MAX_SHOWN])
        if not (may_win or self.watch):  # most prompts: nothing is read
            return PromptInjection()
        shown = (
            self.windows.held(ContextWindow(prompt.session_id)).entries if prompt.session_id else ()
        )
        contenders = self._contenders(rated, prompt.workplace)
        choice = choose(contenders, Rules(contest, shown, self._told))
        if self.watch:
            self.watch(WeighedEntries(contest, contenders, choice))
        if not choice.chosen:
            return PromptInjection()
        receipt = self._receipt(prompt, question, choice)._replace(
            space=found.retrieval.embedded_by
        )
        return PromptInjection(
            choice.text,
            tuple(chosen.contender.facts.ranking.number for chosen in choice.chosen),
            receipt,
        )

    def _contenders(self, rated: Sequence[AnswerRating], workplace: Workplace) -> list[Contender]:
        repository, numbers = self.recall.repository, [answer.number for answer in rated]
        facts = {known.ranking.number: known for known in repository.recall_facts(numbers)}
        printed = {entry.number: workplace.labelled(entry) for entry in repository.printed(numbers)}
        return [
            Contender(facts[number], printed[number], score, parts)
            for number, score, parts, *_ in rated
        ]

    def _told(self) -> Iterator[AgentFile]:
        return (AgentFile(name, plain(text)) for name, text in self.instructions.texts())

    def _receipt(self, prompt: Prompt, question: RecallQuestion, choice: GateChoice) -> Receipt:
        return Receipt(
            session_id=prompt.session_id,
            event="prompt",
            at=self.recall.clock.now(),
            project=prompt.workplace.project,
            query=question.text[:LONGEST_KEPT],
            space=None,
            policy=POLICY,
            digest=text_digest(choice.text),
            frame=choice.frame,
            shown=tuple(chosen.shown for chosen in choice.chosen),
            missed=choice.missed,
        )


def question_of(text: str, only: EntryFilter, workplace: Workplace = NOWHERE) -> RecallQuestion:
    """
    Return the question for a prompt, with a limit that includes near misses.

    Otherwise it has the defaults of `recall`.
    """
    return RecallQuestion(
        text=text,
        only=only._replace(ranked=True),
        policy=POLICY,
        limit=MAX_SHOWN + MAX_MISSED,
        minimum=None,
        workplace=workplace,
        in_any_spelling=False,
    )


def sentences_of(text: str, keywords: KeywordIndex, deadline: Deadline) -> tuple[Sentence, ...]:
    """
    Return the sentences of *text* with weighted words.

    There are none if no entry contains an informative word. Without a keyword index all words weigh
    the same.
    """
    asked = asked_by(text)
    terms = informative_words(dict.fromkeys(term for sentence in asked for term in sentence))[
        :MAX_TERMS
    ]
    try:
        frequencies, size = (
            keywords.frequencies(terms, deadline.within(WORD_SECONDS)),
            keywords.size(),
        )
    except KeywordIndexUnavailableError:
        frequencies, size = dict.fromkeys(terms, 1), UNKNOWN_SIZE
    return (
        tuple(weighed(sentence, frequencies, size) for sentence in asked)
        if any(frequencies.values())
        else ()
    )


def contest_of(
    question: RecallQuestion,
    sentences: tuple[Sentence, ...],
    found: QuestionMatches,
    rated: Sequence[AnswerRating],
) -> Contest:
    """Return the facts that decide between *rated*, the best first of *found*."""
    return Contest(
        sentences=sentences,
        runner_up=max(rated[MAX_SHOWN].score, 0.0) if len(rated) > MAX_SHOWN else 0.0,
        size=found.context.size,
        semantic=found.context.vectors.found > 0,
        identifiers=identifiers(question.text),
    )


class WeighedEntry(NamedTuple):
    """
    An entry that was considered for a prompt.

    Attributes:
        kept_out: The reason why it is not printed, in a few words; empty if it is.
    """

    entry_id: str
    name: str
    probability: float
    kept_out: str


class PromptDryRun(NamedTuple):
    """
    The outcome of a dry run.

    Attributes:
        text: The text that would be printed; empty for nothing.
        entries: The best entries considered, best first; none if no entry is related to the prompt.
        degradations: The missing parts of the search with their reasons, one line each.
    """

    text: str
    entries: tuple[WeighedEntry, ...]
    worth_asking: bool
    degradations: tuple[str, ...] = ()


class TryPrompt(NamedTuple):
    """
    Dry-run a prompt: nothing is counted, no receipt is stored.

    Expired entries are retired, as by any search.
    """

    inject: InjectBesidePrompt

    def dry_run(self, prompt: Prompt, deadline: Deadline) -> PromptDryRun:
        """
        Return the text for *prompt* now, and the entries considered.

        Raises:
            StorageError: the store can't be read.
        """
        weighed = list[WeighedEntries]()
        injection = self.inject._replace(watch=weighed.append).text_for(prompt, deadline)
        entries = tuple(entry for outcome in weighed for entry in _weighed_entries(outcome))
        return PromptDryRun(
            injection.text, entries, is_worth_asking(prompt.text), injection.degradations
        )


def _weighed_entries(weighed: WeighedEntries) -> Iterator[WeighedEntry]:
    reasons = {missed.entry_id: missed.why for missed in weighed.choice.missed}
    reasons.update((chosen.contender.entry_id, "") for chosen in weighed.choice.chosen)
    for contender in weighed.contenders:
        if contender.entry_id in reasons:
            probability = contender.win(weighed.contest).probability
            yield WeighedEntry(
                contender.entry_id, contender.printed.name, probability, reasons[contender.entry_id]
            )
