"""Find files whose earlier texts git's history keeps."""

import os
import time
from collections.abc import Iterable, Sequence

from hardwon.adapters.git.history import HistoryQuestion
from hardwon.adapters.git.identity import identify
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.erasure import Erasure
from hardwon.ports.erasure import KeptElsewhere
from hardwon.ports.override import override

SECONDS = 5.0
"""Time limit for git, for one file."""


class EarlierTexts(KeptElsewhere):
    """The history of the repositories that hold files."""

    @override
    def holding(self, erasure: Erasure, files: Iterable[str]) -> Sequence[str]:
        return [
            f"git's history, as that of any clone: {path} (git filter-repo takes it out)"
            for path in files
            if _was_committed(path)
        ]


def _was_committed(path: str) -> bool:
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    identity = identify(folder)
    if not identity.is_repository:
        return False
    question = HistoryQuestion(identity, Deadline.after(SECONDS, time.monotonic))
    arguments = [
        "log",
        "--all",
        "--max-count=1",
        "--format=%H",
        "--",
        os.path.relpath(path, identity.root),
    ]
    try:
        return bool(question.ask(arguments))
    except (OSError, ValueError):
        return False
