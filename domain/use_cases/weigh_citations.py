"""Find the entries that cite an opened file, and choose one by track record."""

from typing import NamedTuple

from hardwon.domain.model.citations import citations_of, names, tokens_to_find
from hardwon.domain.model.cited_place import paths_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import EVERYTHING, seen_from
from hardwon.domain.model.injection.gate_terms import PromptTerms
from hardwon.domain.model.injection.relevance_gate import (
    Contender,
    Contest,
    WeighedEntries,
    choose,
    in_order_of_credit,
)
from hardwon.domain.model.ranking.candidates import Candidate
from hardwon.domain.model.ranking.prominence import Maxima, RankingPolicy
from hardwon.domain.model.vocabulary import LESSON_KINDS
from hardwon.domain.use_cases.recall import AnswerRating
from hardwon.domain.use_cases.retrieve import WORD_SECONDS, retire_expired
from hardwon.domain.use_cases.weigh_entries import NOTHING, Injection, Occasion, WeighEntries

MAX_READ = 50
"""The number of entries whose citations are compared with an opened file."""


class WeighCitations(NamedTuple):
    """Choose the new entry with the best track record that cites a file."""

    weigh: WeighEntries

    def injection_for(self, occasion: Occasion, deadline: Deadline) -> Injection:
        """
        Return what to print when a file is opened.

        Its path is the text of *occasion*. Entries captured from the session itself are not searched.
        """
        repository = self.weigh.recall.repository
        problems = retire_expired(repository, self.weigh.recall.clock.now())
        with repository.snapshot():
            try:
                citing = self._citing(occasion, deadline)
            except KeywordIndexUnavailableError as error:
                return Injection(degradations=(*problems, str(error)))
            injection = self._chosen(occasion, citing) if citing else NOTHING
            return injection._replace(degradations=problems)

    def _citing(self, occasion: Occasion, deadline: Deadline) -> list[Contender]:
        recall, workplace = self.weigh.recall, occasion.actor.workplace
        only = seen_from(workplace, EVERYTHING._replace(kinds=LESSON_KINDS, ranked=True))
        found = recall.retrieve.keywords.match(
            tokens_to_find(occasion.text),
            "any",
            only=only._replace(except_session=occasion.actor.window.session_id or None),
            deadline=deadline.within(WORD_SECONDS),
        ).top(MAX_READ)
        entries = self.weigh.contenders(
            [AnswerRating(hit.number, hit.score, {}) for hit in found], occasion
        )
        return [
            entry
            for entry in entries
            if entry.printed.project in {None, *workplace.own}  # others cite their own files
            and _cites(entry, occasion.text)
        ]

    def _chosen(self, occasion: Occasion, citing: list[Contender]) -> Injection:
        recall, workplace = self.weigh.recall, occasion.actor.workplace
        by_number = {entry.printed.number: entry for entry in citing}
        observations = recall.repository.most_observed(workplace.visibility)
        policy = RankingPolicy(
            weights=recall.weights,
            maxima=Maxima(observations=observations),
            now=recall.clock.now(),
            own=workplace.own,
        )
        ranked = policy.rank([Candidate(entry.facts.ranking) for entry in citing])
        contenders = [
            by_number[scored.facts.number]._replace(
                score=scored.score, parts=policy.parts(scored.signals)
            )
            for scored in ranked
        ]
        credited = self.weigh.credits()
        contest = Contest(
            PromptTerms((), (), len(citing)), 0.0, size=len(citing), semantic=False, is_cited=True
        )
        contest = contest._replace(shifts=credited.shifts(occasion.event))
        contenders = in_order_of_credit(contenders, contest)
        contenders.sort(key=lambda entry: entry.facts.ranking.is_gone)
        choice = choose(contenders, self.weigh.rules(contest, occasion, credited))
        if self.weigh.watch:
            self.weigh.watch(WeighedEntries(contest, contenders, choice))
        return self.weigh.chosen(occasion, choice, space=None, policy=policy.name)


def _cites(entry: Contender, path: str) -> bool:
    references = (*entry.references, *paths_of(entry.printed.citations))
    return any(names(citation, path) for citation in citations_of(references, entry.texts))
