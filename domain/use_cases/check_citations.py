"""Resolve the citations of entries, and compare them with the working copy."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from os.path import splitext
from posixpath import basename
from typing import NamedTuple

import attrs

from hardwon.domain.model.citation_check import has_changed, is_same_file, mark_of
from hardwon.domain.model.citations import Citation, citations_of, names
from hardwon.domain.model.cited_place import CitationState, CitedPlace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, PublicEntry
from hardwon.domain.model.errors import ForgottenError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.identity import composed
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import LESSON_KINDS
from hardwon.ports.entries import EntryRepository
from hardwon.ports.repository import WorkTree
from hardwon.ports.store import StoreMetadata

LARGEST_FILE = 16 << 20
"""Of a larger file only its existence is checked."""

LARGEST_MOVED = 1 << 20
MAX_CANDIDATES = 400
"""The number of files that are compared with a missing one."""

MISSING: frozenset[CitationState] = frozenset({"gone", "elsewhere"})
PAGE = 200


class CheckCitations(NamedTuple):
    """
    Compare the citations of an entry with the files of its project.

    Citations that were never resolved get a mark of the present content. A place that can't be
    compared keeps its state.
    """

    files: WorkTree

    def checked(self, entry: Entry) -> PublicEntry:
        """Return *entry*, which is redacted, with the present places of its citations."""
        places = (place for place in self.places(entry) if _is_public(place))
        return PublicEntry(attrs.evolve(entry, citations=tuple(place.stored for place in places)))

    def places(self, entry: Entry) -> Iterator[CitedPlace]:
        """Yield the present place of each citation in the references of *entry*."""
        known = {place.text: place for place in entry.cited}
        for citation in citations_of(entry.references):
            before = known.get(citation.text, CitedPlace(citation.text, "unknown"))
            try:
                yield self._place(citation, before)
            except OSError:
                yield before

    def _place(self, citation: Citation, before: CitedPlace) -> CitedPlace:
        if citation.kind == "url":
            return before._replace(state="unread")
        if citation.kind == "glob":
            ending = splitext(citation.path)[1]
            found = self.files.files("" if set(ending) & set("*?{}") else ending)
            return _present(before, is_there=any(names(citation, path) for path in found))
        for path in dict.fromkeys((citation.path, *filter(None, [before.path]))):
            match self.files.kind_of(path):
                case "file":
                    return self._compared(citation, before, path)
                case "folder":
                    return _present(before, is_there=True)
                case "outside":
                    return before._replace(state="outside")
                case _:
                    continue
        return self._missing(citation, before)

    def _compared(self, citation: Citation, before: CitedPlace, path: str) -> CitedPlace:
        content = self.files.content(path, LARGEST_FILE)
        if content is None:
            return before._replace(state="unchanged", path=path)
        if not before.mark.blob:
            mark = mark_of(citation, content)
            state: CitationState = "unchanged" if mark else "unknown"
            return before._replace(state=state, path=path, mark=mark or before.mark)
        if has_changed(citation, before.mark, content):
            return before._replace(state="changed", path=path)
        is_cited = names(citation, path) or path == citation.path
        return before._replace(state="unchanged" if is_cited else "moved", path=path)

    def _missing(self, citation: Citation, before: CitedPlace) -> CitedPlace:
        if before.state == "unknown" or not before.path:
            return self._found_below(citation, before)
        if moved := self._moved(citation, before):
            return self._compared(citation, before, moved)
        if before.state == "gone" or not self.files.is_elsewhere(before.path):
            return before._replace(state="gone")
        return before._replace(state="elsewhere")

    def _found_below(self, citation: Citation, before: CitedPlace) -> CitedPlace:
        """Return the only file whose path ends in that of *citation*."""
        ending = f"/{citation.path}"
        if citation.kind == "file":
            found = [path for path in self._alike(citation.path) if composed(path).endswith(ending)]
            if len(found) == 1:
                return self._compared(citation, before, found[0])
            if found:
                return _present(before, is_there=True)
        return _present(before, is_there=False)

    def _moved(self, citation: Citation, before: CitedPlace) -> str | None:
        """
        Return where a missing file is now.

        One that was missing before is only looked for where it is cited.
        """
        if citation.kind != "file" or not before.mark.blob:
            return None
        others = [path for path in self._alike(before.path) if path != before.path]
        if before.state in MISSING:
            others = [path for path in others if names(citation, path)]
        others.sort(key=lambda path: basename(path) != basename(before.path))
        contents = (
            (path, self.files.content(path, LARGEST_MOVED)) for path in others[:MAX_CANDIDATES]
        )
        return next(
            (path for path, found in contents if found and is_same_file(before.mark, found)), None
        )

    def _alike(self, path: str) -> Sequence[str]:
        return self.files.files(splitext(path)[1] or basename(path))


def _present(before: CitedPlace, *, is_there: bool) -> CitedPlace:
    """Return the place of a citation that has no content to compare."""
    if is_there:
        return before._replace(state="unchanged")
    return before if before.state == "unknown" else before._replace(state="gone")


def _is_public(place: CitedPlace) -> bool:
    """Return whether a path that is in no reference has no secret."""
    return place.path in place.text or redact(place.path) == place.path


@attrs.frozen
class StoreCitations:
    """
    Keep the present state of the citations of entries.

    Attributes:
        files_of: Returns the working copy of a project, None for one that can't be read here.
    """

    repository: EntryRepository
    files_of: Callable[[str], WorkTree | None]

    def check(self, entry: Entry) -> None:
        """Store the present state of the citations of *entry*, unless it changed meanwhile."""
        files = self.files_of(entry.project) if entry.project else None
        if files is None or not files.is_settled():
            return
        checked = CheckCitations(files).checked(entry)
        if checked.citations == entry.citations:
            return
        with self.repository.transaction():
            now = self.repository.by_id(entry.entry_id)
            if now and (now.references, now.citations) == (entry.references, entry.citations):
                with suppress(ForgottenError):
                    self.repository.put(attrs.evolve(now, citations=checked.citations))

    def check_all(self, metadata: StoreMetadata, deadline: Deadline) -> None:
        """Check all lessons, newest first, from the last one of the run before."""
        begin = metadata.citation_cursor or ""
        if (reached := self._check_from(begin, deadline)) != begin:
            metadata.move_citation_cursor(reached)

    def _check_from(self, begin: str, deadline: Deadline) -> str:
        """Return the id of the lesson that was checked last, empty after all."""
        last = self.repository.by_id(begin)
        only = EVERYTHING._replace(kinds=LESSON_KINDS, citing=True)
        while page := self.repository.matching(only, limit=PAGE, after=last):
            for entry in page:
                if deadline.passed():
                    return last.entry_id if last else ""
                self.check(entry)
                last = entry
        return ""
