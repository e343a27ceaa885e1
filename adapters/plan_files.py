import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

PLACES = (".planning/phases", "docs/features", "specs", "docs/plans", "plans")
DOCUMENTS = ("plan.md", "PLAN.md", "spec.md", "prd.md", "README.md")
MOST_NAMES = 2_000
"""So many names of a folder are looked at: a search for a link is no reason to wait."""

_NUMBER = re.compile(
    r"(?:phase|plan|feature|spec)?[-_ .]*0*(?P<number>[0-9]+(?:\.[0-9]+)?)(?![0-9])(?!\.[0-9])", re.IGNORECASE
)


class ProjectPlanFiles:
    """
    Plans as files and folders whose names begin with the number of a phase, in the places where such plans are kept.

    The places are looked through once: what appears there later is for the next instance to find.

    Args:
        project_root: The project's folder.

    """

    def __init__(self, project_root: str) -> None:
        self._root = project_root

    def of_phase(self, number: str) -> str | None:
        """Return the plan of that phase: in the first place that has one, the file that is called a plan first."""
        numbered = self._numbered.get(_without_zeros(number.strip()), ())
        return next((plan for path in numbered if (plan := self._plan(path))), None)

    @cached_property
    def _numbered(self) -> Mapping[str, Sequence[str]]:
        """The paths in all places by the number that their names begin with, in order."""
        found = defaultdict[str, list[str]](list)
        for place in PLACES:
            for name in self._names(place):
                if begins := _NUMBER.match(name):
                    found[_without_zeros(begins["number"])].append(f"{place}/{name}")
        return found

    def _plan(self, path: str) -> str | None:
        if not os.path.isdir(f"{self._root}/{path}"):
            return path if path.lower().endswith(".md") else None
        names = self._names(path)
        document = next((each for each in (*DOCUMENTS, *names) if each in names and each.lower().endswith(".md")), None)
        return f"{path}/{document}" if document else path

    def _names(self, folder: str) -> list[str]:
        """Return the names in *folder* that can be written in a link, plans first."""
        try:
            names = sorted(filter(_is_usable, os.listdir(f"{self._root}/{folder}")))[:MOST_NAMES]
        except (OSError, ValueError):
            return []
        return sorted(names, key=lambda name: "plan" not in name.lower())


def _is_usable(name: str) -> bool:
    return name.isprintable() and not name.startswith(".")


def _without_zeros(number: str) -> str:
    return number.lstrip("0") or number[-1:]
