"""Forget for good: find, erase and verify."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.erasure import Erasure, lines_of, longest, words_of
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.erasure import (
    BegunErasure,
    ErasureJournal,
    ErasurePlace,
    ErasureProof,
    KeptElsewhere,
    Occurrences,
    StoreTexts,
)

ALL = 2**31 - 1
LESSON = "lesson"
"""The noun of occurrences in a knowledge bank."""


@attrs.frozen(kw_only=True)
class ErasureRequest:
    """
    The entries and texts that the user wants to forget.

    A default does not narrow the choice.

    Attributes:
        text: A text, in any spelling.
        any_case: Whether a text of up to three characters is meant in any letter case, too.
    """

    text: str = ""
    any_case: bool = False
    ids: tuple[str, ...] = ()
    only: EntryFilter = EVERYTHING
    since: dt.datetime | None = None
    until: dt.datetime | None = None

    @property
    def is_narrowed(self) -> bool:
        """Whether entries are restricted by more than the text."""
        return bool(self.ids or self.since or self.until) or self.only != EVERYTHING

    def admits(self, entry: Entry) -> bool:
        """Return whether *entry* was created within the time range."""
        return (self.since is None or entry.created_at >= self.since) and (
            self.until is None or entry.created_at <= self.until
        )


@attrs.frozen
class ErasurePlan:
    """
    The entries and places to forget.

    Attributes:
        found: Every place that keeps something of it.
        used_elsewhere: Whether the text stays in other entries.
        problems: Places that can't be read, one line each.
    """

    entries: tuple[Entry, ...]
    begun: BegunErasure
    found: tuple[Occurrences, ...]
    used_elsewhere: bool
    problems: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is kept."""
        return not (self.entries or self.found)

    def keeping_banks(self) -> "ErasurePlan":
        """Return the plan that does not change knowledge banks."""
        banks = [found.place for found in self.found if found.noun == LESSON]
        files = (*self.begun.files, *dict.fromkeys(banks))
        return attrs.evolve(
            self,
            begun=self.begun._replace(keeps_banks=True, files=files),
            found=tuple(found for found in self.found if found.noun != LESSON),
        )


@attrs.frozen
class ErasureOutcome:
    """
    The outcome of a run.

    Attributes:
        remains: Files of hardwon that still hold something, one line each.
        elsewhere: Places beyond reach that hold it, or may, one line each.
        problems: Places that could not be changed, one line each; a repeated run continues.
        unreachable: Folders with files of hardwon that can't be reached now, one line each.
    """

    remains: tuple[str, ...]
    elsewhere: tuple[str, ...]
    searched: int
    problems: tuple[str, ...]
    unreachable: tuple[str, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether no file of hardwon holds it."""
        return not (self.remains or self.problems or self.unreachable)


@attrs.frozen(kw_only=True)
class ForgetForGood:
    """
    Forget entries and texts wherever hardwon keeps them.

    Attributes:
        places: Where texts are kept. The store comes first, so that nothing is indexed again in
            between.
        elsewhere: Places that hardwon may not change.
        folders: The folders that are searched for files of hardwon.
        unreachable: A line for each folder that can't be reached now.
    """

    repository: EntryRepository
    store: StoreTexts
    places: Sequence[ErasurePlace]
    banks: Sequence[ErasurePlace]
    proof: ErasureProof
    elsewhere: Sequence[KeptElsewhere]
    journal: ErasureJournal
    clock: Clock
    folders: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()

    def plan(self, wanted: ErasureRequest) -> ErasurePlan:
        """
        Return the entries that *wanted* means, with every place that keeps them.

        Nothing is changed.
        """
        entries = self._meant(wanted)
        ids = [*dict.fromkeys((*(entry.entry_id for entry in entries), *wanted.ids))]
        is_used = bool(wanted.text and wanted.is_narrowed) and not {*self._holding(wanted)} <= {
            *ids
        }
        texts = [*_texts(entries), *self._texts_of_sections(ids)]
        given = (wanted.text,) if wanted.text and not is_used else ()
        lines = longest(self.store.unused(lines_of(texts), ids))
        erasure = Erasure((*given, *lines), frozenset(ids), wanted.any_case)
        begun = BegunErasure(
            erasure,
            wanted.text,
            words=tuple(sorted(words_of(texts))),
            files=tuple(dict.fromkeys(entry.file_path for entry in entries if entry.file_path)),
            keeps_banks=False,
            folders=self.folders,
        )
        found, problems = _found(
            (*self.places, *self.banks), lambda place: place.found(begun.erasure)
        )
        return ErasurePlan(
            entries=tuple(entries),
            begun=begun,
            found=found,
            used_elsewhere=is_used,
            problems=problems,
        )

    def erase(self, begun: BegunErasure) -> ErasureOutcome:
        """
        Erase the texts of *begun*, so that none comes back.

        `resume` completes an interrupted run.
        """
        self.journal.begin(begun)
        places = (*self.places, *(() if begun.keeps_banks else self.banks))
        problems = [*self._recognise(places, begun)]
        for place in places:
            try:
                place.erase(begun.erasure)
            except HardwonError as error:
                problems.append(str(error))
        if not problems:
            self.journal.end()
        return self.prove(begun, problems)

    def prove(self, begun: BegunErasure, problems: Iterable[str] = ()) -> ErasureOutcome:
        """Search every byte that hardwon keeps for the texts of *begun*."""
        elsewhere = (
            line for kept in self.elsewhere for line in kept.holding(begun.erasure, begun.files)
        )
        remains = dict.fromkeys(
            (*self.proof.remains(begun.erasure), *self.store.traces(begun.words))
        )
        return ErasureOutcome(
            remains=tuple(remains),
            elsewhere=tuple(elsewhere),
            searched=self.proof.searched(),
            problems=tuple(dict.fromkeys(problems)),
            unreachable=self.unreachable,
        )

    def resume(self) -> ErasureOutcome | None:
        """Complete an interrupted run, None without one."""
        begun = self.journal.unfinished()
        return self.erase(begun) if begun else None

    def secrets(self) -> tuple[tuple[Occurrences, ...], tuple[str, ...]]:
        """
        Return where secrets were kept before, by the rules of today.

        The second value are the places that can't be read, one line each.
        """
        found, problems = _found((*self.places, *self.banks), lambda place: place.secrets())
        return found, (*problems, *self.unreachable)

    def redact(self, *, keeps_banks: bool) -> tuple[str, ...]:
        """
        Redact all that was kept before.

        Returns the places that could not be changed, one line each.
        """
        problems = [*self.unreachable]
        for place in (*self.places, *(() if keeps_banks else self.banks)):
            try:
                place.redact()
            except HardwonError as error:
                problems.append(str(error))
        return tuple(problems)

    def _recognise(self, places: Iterable[ErasurePlace], begun: BegunErasure) -> Iterable[str]:
        """
        Store the hashes that recognise the texts later, and yield problems.

        This must happen before the texts are erased.
        """
        words = [begun.wanted] if begun.wanted else []
        wanted = Erasure((begun.wanted,), any_case=begun.erasure.any_case)
        first = next(iter(sorted(begun.erasure.ids)), "")
        for place in places:
            try:
                owned = [*place.texts(begun.erasure)]
            except HardwonError as error:
                yield str(error)
                continue
            for owner, text, is_identity in owned:
                if is_identity or wanted.is_in(text):
                    for name in {owner or begun.wanted or first, begun.wanted} - {""}:
                        self.repository.forgotten.add(
                            name, [text], at=self.clock.now(), words=words
                        )

    def _texts_of_sections(self, ids: Iterable[str]) -> Iterable[str]:
        """Return the texts of captured sections as in their files, formatting included."""
        erasure = Erasure(ids=frozenset(ids))
        return (owned.text for place in self.places for owned in place.texts(erasure))

    def _meant(self, wanted: ErasureRequest) -> list[Entry]:
        chosen = self._chosen(wanted)
        if wanted.text:
            holding = {*self._holding(wanted)}
            chosen = [entry for entry in chosen if entry.entry_id in holding]
        return self._with_wholes([entry for entry in chosen if wanted.admits(entry)])

    def _chosen(self, wanted: ErasureRequest) -> list[Entry]:
        if wanted.only != EVERYTHING or not (wanted.text or wanted.ids):
            found = self.repository.matching(wanted.only, limit=ALL)
            return [entry for entry in found if not wanted.ids or entry.entry_id in wanted.ids]
        ids = wanted.ids or self._holding(wanted)
        return [entry for entry_id in ids if (entry := self.repository.by_id(entry_id))]

    def _holding(self, wanted: ErasureRequest) -> Sequence[str]:
        return self.store.ids_holding(Erasure((wanted.text,), any_case=wanted.any_case))

    def _with_wholes(self, entries: Iterable[Entry]) -> list[Entry]:
        """
        Return *entries* with the other entries of the same documents.

        These repeat their text.
        """
        found = {entry.entry_id: entry for entry in entries}
        for entry in [*found.values()]:
            if entry.kind == "document" and entry.file_path:
                parts = self.repository.of_file(entry.file_path)
                parts = [part for part in parts if not (part.anchor_id and entry.anchor_id)]
                found |= {part.entry_id: part for part in parts}
        return [*found.values()]


def _texts(entries: Iterable[Entry]) -> Iterable[str]:
    return (
        text
        for entry in entries
        for text in (entry.name, entry.description, entry.reasoning, entry.notes)
    )


def _found(
    places: Iterable[ErasurePlace], look: Callable[[ErasurePlace], Sequence[Occurrences]]
) -> tuple[tuple[Occurrences, ...], tuple[str, ...]]:
    found, problems = list[Occurrences](), list[str]()
    for place in places:
        try:
            found += look(place)
        except HardwonError as error:
            problems.append(str(error))
    return tuple(dict.fromkeys(found)), tuple(problems)
