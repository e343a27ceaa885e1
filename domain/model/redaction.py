"""Redaction of secrets and private passages, and cleaning of captured texts. Standard library only: the capture hooks need it."""

import re
from functools import cache
from typing import NamedTuple

REDACTED = "[REDACTED]"

MAX_CUTS = 200
"""Passes after which a text, whose cuts keep joining into new tags, is dropped as malicious."""

_TAG = re.compile(r"<(/?)private>", re.IGNORECASE)

_SECRETS = r"""
      -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\Z)
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b                            # AWS access key id
    | \bgh[pousr]_[A-Za-z0-9]{36,} | \bgithub_pat_\w{22,}
    | \bglpat-[\w-]{20,}                                       # GitLab
    | \bsk-[\w-]{20,}                                          # OpenAI, Anthropic
    | \b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}                   # Stripe
    | \bAIza[\w-]{35}                                          # Google
    | \bxox[abeoprs]-[\w-]{10,}                                # Slack
    | \bnpm_[A-Za-z0-9]{36} | \bpypi-[\w-]{50,} | \bhf_[A-Za-z0-9]{30,}
    | \beyJ[\w-]{8,1000}\.eyJ[\w-]{8,}\.[\w-]{8,}             # JSON web token
"""

_VALUES = r"""
      (?P<bearer>\bBearer\ ) [\w.~+/-]{20,}=*
    | (?P<url>\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]+:) [^\s/@]+ (?=@)
    | (?P<password>(?:password|passwd|pwd|secret)["']?\s{0,3}[:=]\s{0,3}["']?)
      (?=[^\s"'`]{0,200}\d) [^\s"'`()<>\[\]]{8,}
    | (?P<token>(?:api[_-]?key|access[_-]?key|auth[_-]?token|token)["']?\s{0,3}[:=]\s{0,3}["']?)
      (?=[^\s"'`]{0,200}\d) [\w+/-]{20,}=*
"""
"""
Secrets recognised by the text before them; the named group is kept.

Look-aheads are bounded, or a long text without spaces would take quadratic time.
"""


_MARKS = (
    *("-----begin", "akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-"),
    *("k_live_", "k_test_", "aiza", "xox", "npm_", "pypi-", "hf_", "eyj", "bearer ", "://"),
    *("password", "passwd", "pwd", "secret"),
    *("apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "token"),
)
"""Substrings that every match has, in lower case: most texts have none, and spare the hook compiling the patterns."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the patterns on first use: that costs the hook some milliseconds."""
    return re.compile(_SECRETS, re.DOTALL | re.VERBOSE), re.compile(_VALUES, re.IGNORECASE | re.VERBOSE)


def redact(text: str) -> str:
    """
    Return *text* with `<private>` passages cut out and secrets replaced by `[REDACTED]`.

    Known key formats, private keys, credentials in URLs and values given to
    a password, secret, token or key are secrets. Redacting twice changes nothing more.

    Examples:
        >>> redact("Log in as ada <private>my neighbour's account</private> with password: hunter2-hunter2")
        'Log in as ada  with password: [REDACTED]'

    """
    while (clean := _without_secrets(_without_private(text))) != text:
        text = clean  # a key can begin where another was cut
    return text


def _without_secrets(text: str) -> str:
    if not _may_hold_secrets(text):
        return text
    secrets, values = _patterns()
    return values.sub(lambda found: f"{found[found.lastgroup or 0]}{REDACTED}", secrets.sub(REDACTED, text))


def _may_hold_secrets(text: str) -> bool:
    """Return whether *text* has a mark; some letters outside of ASCII match a letter of a mark."""
    small = text.lower()
    return not text.isascii() or any(mark in small for mark in _MARKS)


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


_INJECTED = re.compile(
    r"<(?P<tag>hardwon-memory|system-reminder|hook_context|user-prompt-submit-hook|local-command-\w+)\b[^<>\n]*>"
    r".*?(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
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
        Return *text* without secrets, private passages, text injected by memory or the host, and this machine's paths.

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
        own = redact(_INJECTED.sub("\n", as_text(text)))
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
