"""Search with a text, and choose the entries that clearly help."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.credit import MAX_SHIFT
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.edit import Edit
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import (
    COLLECTIONS,
    EVERYTHING,
    NOWHERE,
    EntryFilter,
    PolicyName,
    Workplace,
    seen_from,
)
from hardwon.domain.model.injection.credits import WITHOUT_OUTCOMES, Credits
from hardwon.domain.model.injection.gate_terms import EditTerms, PromptTerms, terms_to_count
from hardwon.domain.model.injection.receipt import (
    MAX_MISSED,
    ContextWindow,
    Event,
    Receipt,
    text_digest,
)
from hardwon.domain.model.injection.relevance_gate import (
    MAX_SHOWN,
    AgentFile,
    Contender,
    Contest,
    GateChoice,
    Printing,
    Rules,
    WeighedEntries,
    choose,
    in_order_of_credit,
    with_successors,
)
from hardwon.domain.model.keywords import MAX_TERMS, terms_of, without_frame
from hardwon.domain.model.likelihood import CREDIT
from hardwon.domain.model.prompt_intent import Intent, intent_of
from hardwon.domain.model.prompt_terms import (
    Sentence,
    asked_by,
    identifiers,
    informative_words,
    plain,
    weighed,
)
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.trial import Trial
from hardwon.domain.model.vocabulary import LESSON_KINDS
from hardwon.domain.use_cases.rank import QuestionMatches
from hardwon.domain.use_cases.recall import AnswerRating, Recall
from hardwon.domain.use_cases.retrieve import WORD_SECONDS, retire_expired
from hardwon.ports.activity import ContextWindows, Receipts
from hardwon.ports.documents import Instructions
from hardwon.ports.keyword_index import KeywordIndex

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.failure import Failure

LONGEST_KEPT = 500
"""The maximum length of a query in a receipt, in characters."""

LESSONS = EVERYTHING._replace(kinds=LESSON_KINDS)
UNKNOWN_SIZE = 100
"""The assumed number of entries when the keyword index can't count them."""

POLICY: PolicyName = COLLECTIONS["all"].policy


class Actor(NamedTuple):
    """
    The agent that entries are printed for.

    Attributes:
        window: Without a session, earlier injections are unknown.
    """

    window: ContextWindow
    workplace: Workplace


class Occasion(NamedTuple):
    """
    An occasion to print entries: a prompt, or a moment of action.

    Attributes:
        text: The text to search with, without secrets.
        printing: How much is printed, and in which form.
        query: The text that the receipt keeps.
        action: The command that failed, or the edit; None on other occasions.
    """

    event: Event
    text: str
    actor: Actor
    printing: Printing
    query: str
    action: "Failure | Edit | None" = None

    @property
    def searched(self) -> EntryFilter:
        """The entries searched: beside a prompt all, at a moment of action lessons."""
        return EVERYTHING if self.event == "prompt" else LESSONS

    @property
    def failure(self) -> "Failure | None":
        """The command that failed."""
        return None if isinstance(self.action, Edit) else self.action

    @property
    def gist(self) -> str:
        """The text to embed."""
        return (self.action.gist if self.action else "") or self.text


class Injection(NamedTuple):
    """
    The text to print on an occasion.

    Attributes:
        text: Whole entries in the host's frame; empty for nothing.
        receipt: The receipt to store; None for an empty text.
        withheld: The receipt of what a trial withheld; None for nothing.
        degradations: The missing parts of the search with their reasons, one line each.
    """

    text: str = ""
    numbers: tuple[int, ...] = ()
    receipt: Receipt | None = None
    withheld: Receipt | None = None
    degradations: tuple[str, ...] = ()


NOTHING = Injection()


def no_trial() -> Trial | None:
    """Return None: no trial runs."""
    return None


class WeighEntries(NamedTuple):
    """
    Choose new entries that clearly help with a text.

    Attributes:
        instructions: Opens the files that the agent reads anyway, for a winner.
        watch: Called with the weighed entries, also without a possible winner.
        running_trial: Called when an entry is to be printed.
        receipts: Have the outcomes that credit depends on; None for no credit.
    """

    recall: Recall
    windows: ContextWindows
    instructions: Callable[[], Instructions]
    watch: Callable[[WeighedEntries], None] | None = None
    running_trial: Callable[[], Trial | None] = no_trial
    receipts: Receipts | None = None

    def injection_for(self, occasion: Occasion, deadline: Deadline) -> Injection:
        """
        Return what to print on *occasion*, most often nothing.

        Entries captured from the session itself are not searched.
        """
        problems = retire_expired(self.recall.repository, self.recall.clock.now())
        with self.recall.repository.snapshot():
            only = seen_from(occasion.actor.workplace, occasion.searched)._replace(
                except_session=occasion.actor.window.session_id or None
            )
            asked = question_of(occasion.text, only, occasion.actor.workplace)
            question = asked._replace(text=occasion.gist)
            self.recall.repository.prefetch(lambda: self._first_reads(occasion, question, deadline))
            sentences = sentences_of(occasion.text, self.recall.retrieve.keywords, deadline)
            if not any(sentences):
                return self._without_search(occasion)._replace(degradations=problems)
            found = self.recall.search(question, deadline)
            injection = self._injection(
                occasion, question, sentences=sentences, found=found, deadline=deadline
            )
        return injection._replace(degradations=(*problems, *found.retrieval.degradations))

    def _first_reads(
        self, occasion: Occasion, question: RecallQuestion, deadline: Deadline
    ) -> None:
        """Read what a search reads, whatever is found."""
        sentences_of(occasion.text, self.recall.retrieve.keywords, deadline)
        self.recall.first_reads(question, deadline)

    def _injection(
        self,
        occasion: Occasion,
        question: RecallQuestion,
        sentences: tuple[Sentence, ...],
        found: QuestionMatches,
        deadline: Deadline,
    ) -> Injection:
        rated = self._rated(occasion, question, found=found, deadline=deadline)
        terms = PromptTerms(
            sentences=sentences,
            identifiers=identifiers(occasion.text),
            size=found.context.size,
            intent=intent_of(occasion.text) if occasion.event == "prompt" else Intent(),
        )
        contest = contest_of(terms, found=found, rated=rated)
        most = {**terms.upper_bounds, CREDIT: MAX_SHIFT}
        may_win = occasion.action is not None or any(
            contest.may_win(answer.score, answer.parts, most) for answer in rated
        )
        if not (may_win or self.watch):  # most often: nothing is read
            return self._without_search(occasion)
        self.recall.repository.prefetch(lambda: self._last_reads(occasion, rated))
        credited = self.credits()
        contest = contest._replace(shifts=credited.shifts(occasion.event))
        contenders = in_order_of_credit(self.contenders(rated, occasion), contest)
        contenders = with_successors(
            contenders, self._successors(contenders, question.only, occasion)
        )
        if occasion.action:
            contenders, contest = self._of_action(occasion, contenders, contest, deadline)
        choice = choose(contenders, self.rules(contest, occasion, credited))
        if self.watch:
            words = [entry.words for entry in contenders]
            self.watch(WeighedEntries(contest.among(words), contenders, choice))
        return self.chosen(occasion, choice, found.retrieval.embedded_by)

    def _last_reads(self, occasion: Occasion, rated: Sequence[AnswerRating]) -> None:
        """Read what the choice among *rated* reads."""
        repository, numbers = self.recall.repository, [answer.number for answer in rated]
        self.credits()
        self._shown(occasion)
        repository.recall_facts(numbers)
        repository.printed(numbers)
        repository.references(numbers)

    def _rated(
        self,
        occasion: Occasion,
        question: RecallQuestion,
        found: QuestionMatches,
        deadline: Deadline,
    ) -> list[AnswerRating]:
        """Return the best answers, and others that hold a signature of the failure."""
        rated = self.recall.rank(question, found)
        signed = self._signed(occasion.failure, question.only, deadline)
        others = signed - {answer.number for answer in rated}
        if not others:
            return rated
        among = question._replace(only=question.only._replace(among=tuple(sorted(others))))
        return [*rated, *self.recall.rank(among, self.recall.search(among, deadline))]

    def _signed(
        self, failure: "Failure | None", only: EntryFilter, deadline: Deadline
    ) -> frozenset[int]:
        """Return entries with all words of a signature of *failure*, by the keyword index."""
        if failure is None:
            return frozenset()
        from hardwon.domain.model.failure import words_of_signature  # noqa: PLC0415  # compiles patterns

        keywords = self.recall.retrieve.keywords
        try:
            return frozenset(
                hit.number
                for signature in failure.signatures
                for hit in keywords.match(
                    words_of_signature(signature),
                    "all",
                    only=only,
                    deadline=deadline.within(WORD_SECONDS),
                ).top(MAX_SHOWN + MAX_MISSED)
            )
        except KeywordIndexUnavailableError:
            return frozenset()

    def _without_search(self, occasion: Occasion) -> Injection:
        return self.chosen(
            occasion, GateChoice(constitutional=occasion.printing.constitutional), space=None
        )

    def credits(self) -> Credits:
        """Return the credit of all entries, as outcomes are now."""
        return Credits.of(self.receipts.outcomes()) if self.receipts else WITHOUT_OUTCOMES

    def rules(self, contest: Contest, occasion: Occasion, credited: Credits) -> Rules:
        """Return the rules that keep entries out on *occasion*."""
        return Rules(
            contest=contest,
            shown=self._shown(occasion),
            agent_files=self._agent_files,
            printing=occasion.printing,
            harmful=credited.harmful,
        )

    def _shown(self, occasion: Occasion) -> Collection[str]:
        window = occasion.actor.window
        return self.windows.held(window).entries if window.session_id else ()

    def _of_action(
        self,
        occasion: Occasion,
        contenders: list[Contender],
        contest: Contest,
        deadline: Deadline,
    ) -> tuple[list[Contender], Contest]:
        """Return both for a failed command, or an edit."""
        words, failure = [entry.words for entry in contenders], occasion.failure
        if failure is None:
            counted = terms_to_count(terms_of(occasion.text), words)
            frequencies = self._frequencies(counted, deadline)
            return contenders, contest._replace(
                terms=EditTerms(occasion.text, frequencies, contest.size)
            )
        from hardwon.domain.model.injection.failure_terms import (  # noqa: PLC0415  # the same
            FailureTerms,
            terms_of_failure,
        )

        contenders = sorted(contenders, key=partial(_is_unsigned, failure))
        frequencies = self._frequencies(terms_of_failure(failure, words), deadline)
        return contenders, contest._replace(terms=FailureTerms(failure, frequencies, contest.size))

    def _frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        """Return how many entries have each of *terms*: one, if that can't be read."""
        try:
            return self.recall.retrieve.keywords.frequencies(terms, deadline.within(WORD_SECONDS))
        except KeywordIndexUnavailableError:
            return dict.fromkeys(terms, 1)

    def contenders(self, rated: Sequence[AnswerRating], occasion: Occasion) -> list[Contender]:
        """Return *rated* with what is printed and weighed of them."""
        repository, numbers = self.recall.repository, [answer.number for answer in rated]
        facts = {known.ranking.number: known for known in repository.recall_facts(numbers)}
        labelled = (
            occasion.actor.workplace.labelled
            if occasion.printing.form is None
            else occasion.actor.workplace.always_labelled
        )
        printed = {entry.number: labelled(entry) for entry in repository.printed(numbers)}
        references = repository.references(numbers)
        return [
            Contender(
                facts=facts[number],
                printed=printed[number],
                score=score,
                parts=parts,
                references=references.get(number, ()),
            )
            for number, score, parts, *_ in rated
        ]

    def _successors(
        self, contenders: Sequence[Contender], only: EntryFilter, occasion: Occasion
    ) -> dict[str, Contender]:
        """Return the entries among *only* that replace *contenders*, by the ids of those."""
        newest = {
            entry.entry_id: self._newest(entry.facts.ranking.superseded_by)
            for entry in contenders
            if entry.facts.ranking.superseded_by
        }
        numbers = {
            older: entry.number
            for older, entry in newest.items()
            if entry and entry.number and self._is_among(entry.number, only)
        }
        read = self.contenders(
            [AnswerRating(number, 0.0, {}) for number in {*numbers.values()}], occasion
        )
        by_number = {entry.printed.number: entry for entry in read}
        return {older: by_number[number] for older, number in numbers.items()}

    def _newest(self, entry_id: str | None) -> "Entry | None":
        """Return the last of the entries that replace each other, from *entry_id* on."""
        entry, passed = None, set[str]()
        while entry_id and entry_id not in passed:
            passed.add(entry_id)
            entry = self.recall.repository.by_id(entry_id)
            entry_id = entry.superseded_by if entry else None
        return entry

    def _is_among(self, number: int, only: EntryFilter) -> bool:
        return self.recall.repository.count(only._replace(among=(number,))) > 0

    def _agent_files(self) -> Iterator[AgentFile]:
        return (AgentFile(name, plain(text)) for name, text in self.instructions().texts())

    def chosen(
        self, occasion: Occasion, choice: GateChoice, space: str | None, policy: str = POLICY
    ) -> Injection:
        """Return the text and the receipts of *choice*, ranked by *policy*."""
        session_id = occasion.actor.window.session_id
        trial = self.running_trial() if choice.chosen and session_id else None
        printed, withheld = choice.parted(
            lambda entry_id: bool(trial and trial.withholds(session_id, entry_id))
        )
        receipt = self._receipt(occasion, printed, space=space, policy=policy)
        if trial and receipt and printed.chosen:
            receipt = receipt._replace(arm="shown")
        kept_back = self._receipt(occasion, withheld, space=space, policy=policy)
        if kept_back:
            kept_back = kept_back._replace(arm="withheld", delivery="missed")
        return Injection(printed.text, printed.numbers, receipt=receipt, withheld=kept_back)

    def _receipt(
        self, occasion: Occasion, choice: GateChoice, *, space: str | None, policy: str
    ) -> Receipt | None:
        if not choice.text:
            return None
        return Receipt(
            session_id=occasion.actor.window.session_id,
            event=occasion.event,
            at=self.recall.clock.now(),
            project=occasion.actor.workplace.project,
            query=occasion.query[:LONGEST_KEPT],
            space=space,
            policy=policy,
            digest=text_digest(choice.text),
            frame=choice.frame,
            shown=choice.shown,
            missed=choice.missed,
            agent=occasion.actor.window.agent,
            signature=occasion.failure.signature if occasion.failure else "",
        )


def _is_unsigned(failure: "Failure", entry: Contender) -> bool:
    return not failure.is_named_in(entry.words.text)


class WeighedEntry(NamedTuple):
    """
    An entry that was considered.

    Attributes:
        kept_out: The reason why it is not printed, in a few words; empty if it is.
    """

    entry_id: str
    name: str
    probability: float
    kept_out: str


class DryRun(NamedTuple):
    """
    The outcome of a dry run.

    Attributes:
        text: The text that would be printed; empty for nothing.
        entries: The best entries considered, best first; none if no entry is related.
        degradations: The missing parts of the search with their reasons, one line each.
    """

    text: str
    entries: tuple[WeighedEntry, ...]
    degradations: tuple[str, ...] = ()


def dry_run(weigh: WeighEntries, ask: Callable[[WeighEntries], Injection]) -> DryRun:
    """Return what *ask* would print, and the entries that it considers."""
    weighed = list[WeighedEntries]()
    injection = ask(weigh._replace(watch=weighed.append, running_trial=no_trial))
    entries = tuple(entry for outcome in weighed for entry in _weighed_entries(outcome))
    return DryRun(injection.text, entries, injection.degradations)


def _weighed_entries(weighed: WeighedEntries) -> Iterator[WeighedEntry]:
    reasons = {missed.entry_id: missed.why for missed in weighed.choice.missed}
    reasons.update((chosen.contender.entry_id, "") for chosen in weighed.choice.chosen)
    for contender in weighed.contenders:
        if contender.entry_id in reasons:
            probability = contender.win(weighed.contest).probability
            yield WeighedEntry(
                entry_id=contender.entry_id,
                name=contender.printed.name,
                probability=probability,
                kept_out=reasons[contender.entry_id],
            )


def question_of(text: str, only: EntryFilter, workplace: Workplace = NOWHERE) -> RecallQuestion:
    """
    Return the question for a prompt, near misses included.

    Otherwise it has the defaults of `recall`.
    """
    return RecallQuestion(
        text=text,
        keyword_text=without_frame(text),
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
    terms: PromptTerms, found: QuestionMatches, rated: Sequence[AnswerRating]
) -> Contest:
    """Return the facts that decide between *rated*, the best first of *found*."""
    return Contest(
        terms=terms,
        rival=max(rated[MAX_SHOWN].score, 0.0) if len(rated) > MAX_SHOWN else 0.0,
        size=found.context.size,
        semantic=found.context.vectors.found > 0,
    )
