"""
The present state of the files that an entry cites.

An entry keeps a text for each citation: its state, its path now, and the mark of its content. A
text that can't be read is ignored, and made again.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

CitationState: TypeAlias = Literal[
    "unchanged", "changed", "moved", "gone", "elsewhere", "unknown", "outside", "unread"
]
STATES: frozenset[str] = frozenset(get_args(CitationState))
"""
The states of a citation.

`elsewhere`: another branch has the file, this one not. `unknown`: there never was such a file or
place. `outside`: it leads out of the project, and is not read. `unread`: an address.
"""

OF_FILES: frozenset[CitationState] = frozenset(
    {"unchanged", "changed", "moved", "gone", "elsewhere"}
)
MAX_NAMED = 3
"""The number of paths that a warning names."""


class Mark(NamedTuple):
    """
    The mark by which the content of a cited file is compared.

    Attributes:
        blob: Its git blob id, empty if it was too large to be read.
        sample: Hashes of some of its lines; empty for a file that is no text.
        lines: The hash of the cited lines or symbol, empty for a whole file.
        around: Hashes of the lines beside them.
        at: The first cited line then, from 1.
    """

    blob: str = ""
    sample: str = ""
    lines: str = ""
    around: str = ""
    at: int = 0


class CitedPlace(NamedTuple):
    """
    A citation with its present state.

    Attributes:
        text: The citation.
        path: Where its file is, or was last; empty where none was found.
    """

    text: str
    state: CitationState
    path: str = ""
    mark: Mark = Mark()

    @property
    def is_of_file(self) -> bool:
        """Whether it is, or was, a file of the project."""
        return self.state in OF_FILES

    @property
    def stored(self) -> str:
        """The text that an entry keeps."""
        return json.dumps([self.state, *self.mark, self.path, self.text], ensure_ascii=False)


def cited_places(texts: Iterable[str]) -> Iterator[CitedPlace]:
    """
    Yield the places that an entry keeps as *texts*.

    >>> [place.text for place in cited_places([CitedPlace("src/a.py:3", "gone").stored, "{", "[]"])]
    ['src/a.py:3']
    """
    for text in texts:
        try:
            state, blob, sample, lines, around, at, path, cited = json.loads(text)
            mark = Mark(
                blob=str(blob), sample=str(sample), lines=str(lines), around=str(around), at=int(at)
            )
            place = CitedPlace(text=str(cited), state=state, path=str(path), mark=mark)
        except (ValueError, TypeError):
            continue
        if state in STATES:
            yield place


def paths_of(texts: Sequence[str]) -> list[str]:
    """Return the paths of the cited files, which may have moved."""
    return [place.path for place in cited_places(texts) if place.path]


def warning_of(texts: Sequence[str]) -> str:
    """
    Return the sentence on what changed since it was cited, empty for nothing.

    >>> warning_of([CitedPlace("a.py:3", "changed", "a.py").stored, CitedPlace("b.py", "gone").stored])
    '(a.py changed since, b.py is gone: check)'
    """
    places = [*cited_places(texts)] if texts else []
    changed, gone = (
        [*dict.fromkeys(place.path or place.text for place in places if place.state == state)]
        for state in ("changed", "gone")
    )
    parts = [
        *([f"{_listed(changed)} changed since"] if changed else []),
        *([f"{_listed(gone)} {'is' if len(gone) == 1 else 'are'} gone"] if gone else []),
    ]
    return f"({', '.join(parts)}: check)" if parts else ""


def _listed(names: Sequence[str]) -> str:
    first, more = names[:MAX_NAMED], len(names) - MAX_NAMED
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")
