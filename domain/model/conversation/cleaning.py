"""What goes from a conversation before any of it is kept. Standard library only: the capture hooks need it."""

import re
from typing import NamedTuple

from hardwon.domain.model.redaction import redact

_INJECTED = re.compile(
    r"<(?P<tag>hardwon-memory|system-reminder|hook_context|user-prompt-submit-hook|local-command-\w+)\b[^<>\n]*>"
    r".*?(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
_UP_TO_A_BLANK = re.compile(r".*\s", re.DOTALL)
_OTHER_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")

CUT = " […]"
"""Stands where the end of a text was cut off."""

LONGEST_SECRET = 1_000
"""Characters; of a longer one the beginning is known for what it is."""

MOST_PASSES = 10
"""What a cut joins may have to go too: again and again in a text that is made to, hardly twice in any other."""


def as_text(text: str) -> str:
    """Return *text* as any file can hold it: valid, its line ends newlines, nothing blank around it."""
    valid = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    return _OTHER_LINE_ENDS.sub("\n", valid).strip()


class Cleaning(NamedTuple):
    """
    How a text is made fit to be kept in a project's own files.

    Attributes:
        project_root: Its folder: what lies in it is named from there.
        home: The user's folder, written as `~`; empty to leave it.
        other_roots: What else leads to the project's folder: links.
        other_homes: What else leads to the user's.

    """

    project_root: str = ""
    home: str = ""
    other_roots: tuple[str, ...] = ()
    other_homes: tuple[str, ...] = ()

    def __call__(self, text: str) -> str:
        """
        Return *text* without secrets, private passages, what memory or the host put in, and this machine's paths.

        Cleaning twice changes nothing more. Of a text that hides something anew each time nothing is left.
        """
        for _ in range(MOST_PASSES):
            if (clean := self._once(text)) == text:
                return clean
            text = clean
        return ""

    def beginning(self, text: str, longest: int) -> str:
        """
        Return *text* clean; of one with more than *longest* characters the beginning, in which no half of a secret is left.

        It is cut at a white space near the end if there is one, else before what may be the half of one.
        """
        if len(text) <= longest:
            return self(text)
        head, tail = text[: longest - LONGEST_SECRET], text[longest - LONGEST_SECRET : longest]
        if ended := _UP_TO_A_BLANK.match(tail):
            return self(head + ended[0]).rstrip()
        return self(head + tail)[:-LONGEST_SECRET].rstrip()

    def _once(self, text: str) -> str:
        own = redact(_INJECTED.sub("\n", as_text(text)))
        for root in _longest_first(self.project_root, *self.other_roots):
            own = _shortened(own, root, "", "./")
        for home in _longest_first(self.home, *self.other_homes):
            own = _shortened(own, home, "~/", "~")
        return own


def _longest_first(*folders: str) -> list[str]:
    return sorted(set(folders), key=lambda folder: (-len(folder), folder))


def _shortened(text: str, folder: str, below: str, itself: str) -> str:
    """Return *text* with *below* in place of *folder* where a path goes on, and *itself* where it ends."""
    if not folder.strip("/\\"):
        return text
    beginning = re.escape(folder.rstrip("/\\"))
    named = (
        rf"(?:(?<![\w./\\~-])|(?<=file://)){beginning}(?:(?P<below>[/\\]+(?=[^\s\"'`)\]>,;:]))|[/\\]?(?![\w-]|\.\w))"
    )
    return re.sub(named, lambda found: below if found["below"] else itself, text)
