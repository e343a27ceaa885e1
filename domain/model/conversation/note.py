"""What stands in a file of the project's memory: one section of it."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Kind


class Note(NamedTuple):
    """
    A named section of a markdown file.

    Attributes:
        note_id: Its anchor: 16 hex digits.
        kind: Decides its folder: conversation, decision, gotcha or preference.
        at: When it began, in UTC; its day begins the file's name, and its moment orders the file's sections.
        topic: The words the file is named after; notes of one day, kind and topic share a file.
        title: What the file is called when this is its first section.
        text: The section, from its heading on, without the markers around it.
        project: The name of the project.
        branch: The git branch, None without git.
        permanent: Kept for good.

    """

    note_id: str
    kind: Kind
    at: dt.datetime
    topic: str
    title: str
    text: str
    project: str
    branch: str | None = None
    permanent: bool = False
