"""Redaction of secrets and private passages, and cleaning of captured texts. Standard library only: the capture hooks need it."""

import re
from functools import lru_cache
from typing import NamedTuple

from hardwon.domain.model.host_text import without_host_text
from hardwon.domain.model.invisible import without_invisible
from hardwon.domain.model.secrets.find import REDACTED, without_secrets

__all__ = ["REDACTED", "Cleaning", "as_text", "is_cut_off", "redact", "redact_values", "stored_form"]

MAX_CUTS = 200
"""Passes after which a text, whose cuts keep joining into new tags, is dropped as malicious."""

MAX_REVEALED = 20
"""Passes after which a text, whose secrets keep revealing more, is dropped as malicious."""

LONGEST_REMEMBERED = 20_000
"""Characters of a text whose redaction is remembered for a while."""

_TAG = re.compile(r"<(/?)private>", re.IGNORECASE)


def redact(text: str) -> str:
    """
    Return *text* with `<private>` passages cut out and secrets replaced by `[REDACTED]`.

    Known key formats, private keys, credentials in URLs and values given to
    a password, secret, token or key are secrets. Redacting twice changes nothing more.

    Examples:
        >>> redact("Log in as ada <private>my neighbour's account</private> with password: hunter2-hunter2")
        'Log in as ada  with password: [REDACTED]'

    """
    return _redacted(text) if len(text) > LONGEST_REMEMBERED else _remembered(text)


def stored_form(text: str) -> str:
    """Return *text* as an entry holds it: without characters that are not seen, and redacted."""
    return redact(without_invisible(text))


@lru_cache(maxsize=64)  # what is stored passes several doors, one after the other
def _remembered(text: str) -> str:
    return _redacted(text)


def _redacted(text: str) -> str:
    for _ in range(MAX_REVEALED):
        if (clean := without_secrets(_without_private(text))) == text:
            return text
        text = clean  # a key can begin where another was cut
    return ""


def is_cut_off(text: str) -> bool:
    """
    Return whether a `<private>` in *text* has no end, so that all after it is cut.

    Examples:
        >>> is_cut_off("Use <private> tags"), is_cut_off("<private>mine</private> ours")
        (True, False)

    """
    depth = 0
    for tag in _TAG.finditer(without_invisible(text)):
        depth = max(0, depth + (-1 if tag[1] else 1))
    return depth > 0


def _without_private(text: str) -> str:
    """Remove each passage with all that is nested in it; an unclosed one ends with the text."""
    for _ in range(MAX_CUTS):
        if (cut := _without_outermost(text)) == text:
            return text
        text = cut  # a cut may join two parts into a tag
    return ""


def _without_outermost(text: str) -> str:
    kept: list[str] = []
    depth, resumed = 0, 0
    for tag in _TAG.finditer(text):
        is_end = bool(tag[1])
        if depth == 0 and not is_end:
            kept.append(text[resumed : tag.start()])
        if depth == 1 and is_end:
            resumed = tag.end()
        depth += (not is_end) - (is_end and depth > 0)
    return "".join(kept) + ("" if depth else text[resumed:])


_UP_TO_A_BLANK = re.compile(r".*\s", re.DOTALL)
_OTHER_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")

CUT = " […]"
"""The mark at the end of a text that was cut."""

LONGEST_SECRET = 1_000
"""Characters by which a secret is recognised."""

MAX_PASSES = 10
"""Passes after which a text, whose cuts keep revealing more, is dropped as malicious."""


def as_text(text: str) -> str:
    """Return *text* as any file can hold it: valid, with newlines as line ends, stripped."""
    valid = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    return _OTHER_LINE_ENDS.sub("\n", valid).strip()


class Cleaning(NamedTuple):
    """
    The cleaning of a text before it is stored in a project's own files.

    Attributes:
        project_root: The project's folder: paths in it become relative.
        home: The user's folder, written as `~`; empty to keep it.
        other_roots: Other paths of the project's folder, by links.
        other_homes: Other paths of the user's folder.
    """

    project_root: str = ""
    home: str = ""
    other_roots: tuple[str, ...] = ()
    other_homes: tuple[str, ...] = ()

    def __call__(self, text: str) -> str:
        """
        Return *text* in its `stored_form`, without text injected by memory or the host, and without this machine's paths.

        Idempotent. A text that reveals something with each pass becomes empty.
        """
        for _ in range(MAX_PASSES):
            if (clean := self._once(text)) == text:
                return clean
            text = clean
        return ""

    def beginning(self, text: str, longest: int) -> str:
        """
        Return *text* clean; of one with more than *longest* characters the beginning, without half a secret at its end.

        It is cut at white space near the end if there is any, else before a possible half of a secret.
        """
        if len(text) <= longest:
            return self(text)
        head, tail = text[: longest - LONGEST_SECRET], text[longest - LONGEST_SECRET : longest]
        if ended := _UP_TO_A_BLANK.match(tail):
            return self(head + ended[0]).rstrip()
        return self(head + tail)[:-LONGEST_SECRET].rstrip()

    def _once(self, text: str) -> str:
        own = stored_form(without_host_text(as_text(text)))
        for root in _longest_first(self.project_root, *self.other_roots):
            own = _shortened(own, root, "", "./")
        for home in _longest_first(self.home, *self.other_homes):
            own = _shortened(own, home, "~/", "~")
        return own


def _longest_first(*folders: str) -> list[str]:
    return sorted(set(folders), key=lambda folder: (-len(folder), folder))


def _shortened(text: str, folder: str, below: str, itself: str) -> str:
    """Return *text* with *below* in place of *folder* where a path continues, and *itself* where it ends."""
    if not folder.strip("/\\"):
        return text
    beginning = re.escape(folder.rstrip("/\\"))
    named = (
        rf"(?:(?<![\w./\\~-])|(?<=file://)){beginning}(?:(?P<below>[/\\]+(?=[^\s\"'`)\]>,;:]))|[/\\]?(?![\w-]|\.\w))"
    )
    return re.sub(named, lambda found: below if found["below"] else itself, text)


def redact_values(value: object) -> object:
    """Return *value*, of objects, lists and scalars, with every text and key redacted."""
    if isinstance(value, dict):
        return {redact(key): redact_values(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact_values(item) for item in value]
    return redact(value) if isinstance(value, str) else value
