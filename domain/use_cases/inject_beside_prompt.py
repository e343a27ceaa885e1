"""
Tell what would stand beside a prompt, and why or why not.

Put beside a prompt what clearly bears on it, unasked.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import COLLECTIONS, EVERYTHING, EntryFilter, PolicyName
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
from hardwon.domain.model.injection.receipt import MAX_MISSED, Receipt, text_digest
from hardwon.domain.model.injection.relevance_gate import (
    MAX_SHOWN,
    AgentFile,
    Choice,
    Contender,
    Contest,
    Rules,
    Weighed,
    choose,
)
from hardwon.domain.model.keywords import MAX_TERMS
from hardwon.domain.model.ranking.question import Question
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.rank import Found
from hardwon.domain.use_cases.recall import Rated, Recall
from hardwon.domain.use_cases.retrieve import WORD_SECONDS, retire_expired
from hardwon.ports.activity import Receipts
from hardwon.ports.documents import Instructions
from hardwon.ports.keyword_index import KeywordIndex

LONGEST_KEPT = 500
"""Characters of the prompt that a receipt keeps."""

UNKNOWN_SIZE = 100
"""Entries, where none can be counted by word."""

POLICY: PolicyName = COLLECTIONS["all"].policy


class Prompt(NamedTuple):
    """
    What the user has just said.

    Attributes:
        text: The words.
        session_id: The session, as the host names it; without a name nothing is known of what it was shown.
        project: The name of the user's project.

    """

    text: str
    session_id: str = ""
    project: str = ""


class PromptInjection(NamedTuple):
    """
    What is to be printed beside a prompt.

    Attributes:
        text: At most two whole entries in the host's frame; empty for nothing to say.
        seqs: The numbers of the entries in it.
        receipt: What it leaves behind; None for nothing to say.
        degradations: What was missing in the search and why, one line each.

    """

    text: str = ""
    seqs: tuple[int, ...] = ()
    receipt: Receipt | None = None
    degradations: tuple[str, ...] = ()


class InjectBesidePrompt(NamedTuple):
    """
    Search with the user's own words, and say what clearly wins and is not known in this session yet.

    Attributes:
        recall: Finds.
        receipts: Know what was shown before.
        instructions: What the agent is told anyway.
        watch: Called with what was weighed, also of a prompt that nothing can win; may be None.

    """

    recall: Recall
    receipts: Receipts
    instructions: Instructions
    watch: Callable[[Weighed], None] | None = None

    def text_for(self, prompt: Prompt, deadline: Deadline) -> PromptInjection:
        """
        Return what to print beside *prompt*: most often nothing.

        What the session itself has left in the store is not searched: it was said just now.

        Args:
            prompt: The user's words; secrets in them are searched for nowhere and kept nowhere.
            deadline: When searching must be over.

        Raises:
            StorageError: the store can't be read.

        """
        if not is_worth_asking(prompt.text):
            return PromptInjection()
        public = redact(prompt.text[: 2 * LONGEST_PROMPT])[:LONGEST_PROMPT]  # a secret may begin before the end
        troubles = retire_expired(self.recall.repository, self.recall.clock.now())
        with self.recall.repository.snapshot():
            only = EVERYTHING._replace(except_session=prompt.session_id or None)
            question = question_of(public, only, prompt.project)
            sentences = sentences_of(public, self.recall.retrieve.keywords, deadline)
            if not any(sentences):
                return PromptInjection(degradations=troubles)
            found = self.recall.search(question, deadline)
            spoken = self._spoken(prompt, question, sentences, found)
        return spoken._replace(degradations=(*troubles, *found.retrieval.degradations))

    def _spoken(
        self, prompt: Prompt, question: Question, sentences: tuple[Sentence, ...], found: Found
    ) -> PromptInjection:
        rated = self.recall.rank(question, found)
        contest = contest_of(question, sentences, found, rated)
        may_win = any(contest.may_win(each.score) for each in rated[:MAX_SHOWN])
        if not (may_win or self.watch):  # most prompts: nothing is read
            return PromptInjection()
        shown = self.receipts.shown_in(prompt.session_id) if prompt.session_id else frozenset[str]()
        contenders = self._contenders(rated)
        choice = choose(contenders, Rules(contest, shown, self._told, prompt.project))
        if self.watch:
            self.watch(Weighed(contest, contenders, choice))
        if not choice.chosen:
            return PromptInjection()
        receipt = self._receipt(prompt, question, choice)._replace(space=found.retrieval.embedded_by)
        return PromptInjection(choice.text, tuple(each.contender.facts.ranking.seq for each in choice.chosen), receipt)

    def _contenders(self, rated: Sequence[Rated]) -> list[Contender]:
        """Return what is known of *rated*, in their order."""
        repository, seqs = self.recall.repository, [each.seq for each in rated]
        facts = {each.ranking.seq: each for each in repository.recall_facts(seqs)}
        printed = {each.seq: each for each in repository.printed(seqs)}
        return [Contender(facts[each.seq], printed[each.seq], each.score, each.parts) for each in rated]

    def _told(self) -> Iterator[AgentFile]:
        return (AgentFile(name, plain(text)) for name, text in self.instructions.texts())

    def _receipt(self, prompt: Prompt, question: Question, choice: Choice) -> Receipt:
        return Receipt(
            session_id=prompt.session_id,
            event="prompt",
            at=self.recall.clock.now(),
            project=prompt.project,
            query=question.text[:LONGEST_KEPT],
            space=None,
            policy=POLICY,
            digest=text_digest(choice.text),
            frame=choice.frame,
            shown=tuple(each.shown for each in choice.chosen),
            missed=choice.missed,
        )


def question_of(text: str, only: EntryFilter, project: str = "") -> Question:
    """Return what is asked for a prompt: as `recall` asks by default, for as many as may be shown or nearly are."""
    return Question(
        text=text,
        only=only._replace(ranked=True),
        policy=POLICY,
        limit=MAX_SHOWN + MAX_MISSED,
        minimum=None,
        workplace=Workplace(project=project),
    )


def sentences_of(text: str, keywords: KeywordIndex, deadline: Deadline) -> tuple[Sentence, ...]:
    """
    Return what the words of each sentence of *text* tell; none when no entry holds any of those that tell.

    Where words can't be looked up, each tells as much as another.
    """
    asked = asked_by(text)
    terms = informative_words(dict.fromkeys(term for sentence in asked for term in sentence))[:MAX_TERMS]
    try:
        frequencies, size = keywords.frequencies(terms, deadline.within(WORD_SECONDS)), keywords.size()
    except KeywordIndexUnavailableError:
        frequencies, size = dict.fromkeys(terms, 1), UNKNOWN_SIZE
    return tuple(weighed(each, frequencies, size) for each in asked) if any(frequencies.values()) else ()


def contest_of(question: Question, sentences: tuple[Sentence, ...], found: Found, rated: Sequence[Rated]) -> Contest:
    """Return what decides between *rated*, the best first of what was *found*."""
    return Contest(
        sentences=sentences,
        runner_up=max(rated[MAX_SHOWN].score, 0.0) if len(rated) > MAX_SHOWN else 0.0,
        size=found.context.size,
        semantic=found.context.vectors.found > 0,
        identifiers=identifiers(question.text),
    )


class WeighedEntry(NamedTuple):
    """
    An entry that was weighed for a prompt.

    Attributes:
        entry_id: Which.
        name: Its name.
        strength: How clearly it wins.
        least: The strength that is needed.
        kept_out: What keeps it out, in a few words; empty for what would stand there.

    """

    entry_id: str
    name: str
    strength: float
    least: float
    kept_out: str


class PromptDryRun(NamedTuple):
    """
    What a prompt would bring up.

    Attributes:
        text: What would be printed; empty for nothing.
        entries: The best that were weighed, best first; none where no entry has to do with the prompt.
        worth_asking: Whether the prompt says enough to be searched with.
        degradations: What was missing in the search and why, one line each.

    """

    text: str
    entries: tuple[WeighedEntry, ...]
    worth_asking: bool
    degradations: tuple[str, ...] = ()


class TryPrompt(NamedTuple):
    """
    Try a prompt: nothing is counted and no receipt is kept; what has expired is retired, as by any search.

    Attributes:
        speak_up: What answers prompts.

    """

    speak_up: InjectBesidePrompt

    def dry_run(self, prompt: Prompt, deadline: Deadline) -> PromptDryRun:
        """
        Return what would be printed beside *prompt* now.

        Args:
            prompt: The words of a user.
            deadline: When searching must be over.

        Raises:
            StorageError: the store can't be read.

        """
        weighed = list[Weighed]()
        spoken = self.speak_up._replace(watch=weighed.append).text_for(prompt, deadline)
        entries = tuple(entry for each in weighed for entry in _rehearsed(each))
        return PromptDryRun(spoken.text, entries, is_worth_asking(prompt.text), spoken.degradations)


def _rehearsed(weighed: Weighed) -> Iterator[WeighedEntry]:
    told = {each.entry_id: each.why for each in weighed.choice.missed}
    told.update((each.contender.entry_id, "") for each in weighed.choice.chosen)
    for each in weighed.contenders:
        if each.entry_id in told:
            win = each.win(weighed.contest)
            yield WeighedEntry(each.entry_id, each.printed.name, win.strength, win.least, told[each.entry_id])
