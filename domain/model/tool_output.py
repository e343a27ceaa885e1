r"""
The output of a command, cleaned: what is left says what went wrong.

Three steps: the terminal's marks go (`shown`), lines that say nothing go (`cleaned`), and what
differs between two runs of the same failure becomes a placeholder (`normalised`). Each step is
idempotent. Linear in the length of the output, of which the middle is cut.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

MAX_OUTPUT = 40_000
"""
The characters that are read.

A fourth of them is from the beginning, the others are from the end.
"""

MAX_LINE = 500
"""The characters of a line that are read."""

_BEGINNING = MAX_OUTPUT // 4
_LINE_END = "\n"

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links
    r"|\x1b[ -/]*[0-~]|[\x80-\x9f]"
)
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def shown(output: str) -> str:
    r"""
    Return what a terminal shows of *output* in the end, on plain lines.

    Colours and controls are gone, and what a carriage return overwrote. A long output is cut
    between lines: a part of a secret could not be known as one.

    >>> shown("\x1b[31m 10%\r 90%\r\x1b[0mdone\r\nok")
    'done\nok'
    """
    if len(output) > MAX_OUTPUT:
        first, last = output[:_BEGINNING], output[_BEGINNING - MAX_OUTPUT :]
        output = f"{first.rpartition(_LINE_END)[0]}\n{last.partition(_LINE_END)[2]}"
    text = _ESCAPES.sub("", output).replace("\r\n", "\n")
    return _CONTROLS.sub("", "\n".join(map(_last_written, text.split("\n"))))


def _last_written(line: str) -> str:
    """Return what is left of a line after its carriage returns."""
    return line.rstrip("\r").rpartition("\r")[2]


class Cleaner(NamedTuple):
    """
    A kind of text in an output.

    Attributes:
        name: The kind, or the tool that prints it.
        pattern: A regular expression.
        replacement: Takes its place.
    """

    name: str
    pattern: str
    replacement: str = ""


NOISE = (
    Cleaner("blank or ruled", r"[\s=\-_*~─━═│┃|+.#<>^\u2500-\u257f]*"),
    Cleaner("progress", r".*(?:\b\d{1,3}(?:\.\d+)?\s?%|\d+/\d+ \[|[━█▓▒░]{3,}|[#=]{5,}>?\s*\]).*"),
    Cleaner(
        "downloads",
        r"\s*(?:Downloading|Downloaded|Fetching|Using cached|Collecting|Installing|Receiving objects|"
        r"Resolving deltas|Pulling|Extracting|Unpacking|Selecting previously|Get:\d+|Hit:\d+)\b.*",
    ),
    Cleaner("layers", r"\s*[0-9a-f]{12}: .*"),
    Cleaner(
        "builds",
        r"\s*(?:Compiling|Checking|Finished|Fresh|Building|Scanning dependencies|Consolidate compiler)\b.*",
    ),
    Cleaner("cmake", r"\s*-- .*"),
    Cleaner(
        "changed files of git",
        r"\s*\S.{0,200}? \|\s+(?:\d+ [+-]+|Bin .*)|\s*\d+ files? changed, .*|\s*(?:create|delete) mode \d+ .*",
    ),
    Cleaner(
        "tests that pass",
        r".*\bPASS(?:ED)?\b.*|\s*(?:✓|✔|ok)\s.*|--- PASS: .*|[.sxFE]{3,}\s*(?:\[.*)?",
    ),
    Cleaner(
        "pytest",
        r"(?:platform|rootdir|plugins|cachedir|configfile|collected|collecting|asyncio)\b[: ].*|=+ .* =+",
    ),
    Cleaner(
        "docker",
        r"#\d+ (?:\[.*\]|transferring|DONE|CACHED|sha256|extracting|resolve).*|(?:Sending build context|Step \d+/).*",
    ),
    Cleaner("exit code", r"(?:Process exited with|Exit) [Cc]ode:? \d+"),
    Cleaner("cut", r".*\[\d+ characters truncated\].*"),
    Cleaner(
        "npm",
        r"npm (?:ERR!|error) (?:A complete log|\s*[^\s]*_logs).*|npm (?:notice|http|timing|sill|verb)\b.*",
    ),
)
"""Lines that say nothing about a failure. A line that matches wholly is dropped."""

_NOISE = re.compile("|".join(f"(?:{rule.pattern})" for rule in NOISE))

_DATE = r"\d{4}[-/]\d\d[-/]\d\d"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?"
_SEGMENT = r"[^\s/\\:'\"`<>|()\[\],;=*]+"

STAMPS = (
    Cleaner("step of an image", r"^#\d+ \d+\.\d+ "),
    Cleaner("date and time", rf"\[?\b{_DATE}(?:[T ]{_CLOCK}(?:Z|\s?[+-]\d\d:?\d\d)?)?\]?"),
    Cleaner("clock", rf"\[?\b{_CLOCK}\b\]?"),
    Cleaner("duration", r"\b(?:in )?\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|min|m)\b"),
    Cleaner(
        "absolute folder", rf"(?<![\w.~:/])(?:~|[A-Za-z]:)?(?:/|\\\\?)(?:{_SEGMENT}(?:/|\\\\?))+"
    ),
)
"""Texts that depend on when and where a command ran."""

PLACEHOLDERS = (
    Cleaner(
        "path",
        rf"(?:(?:~|[A-Za-z]:)?[/\\])?(?:{_SEGMENT}[/\\])+(?:{_SEGMENT})?"
        rf"|(?<![\w.])[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py[iw]?|rs|go|c|cc|cpp|h|hpp|java|kts?|gradle|rb|php|sh|sql|"
        r"json|ya?ml|toml|xml|html?|css|md|txt|log|lock|tf|cs|swift|o|so|a|dll|exe|jar|db|csv|ini|cfg|env|vue|svelte)\b",
        "<path>",
    ),
    Cleaner("place", r"(?<=<path>)(?:[:(]\d+(?:[:,]\d+)*\)?|::[\w\[\]:.-]+|, line \d+)", ""),
    Cleaner("address", r"\b0x[0-9a-fA-F]+\b", "<n>"),
    Cleaner("uuid", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<n>"),
    Cleaner("hash", r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "<n>"),
    Cleaner("host", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<n>"),
    Cleaner(
        "temporary name", r"\b(?:tmp|temp|pytest-of-)[\w-]*\d[\w-]*|\btmp[a-z0-9_]{6,}\b", "<n>"
    ),
    Cleaner("number", r"(?<![\w<])[-+]?\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?(?![\w>])", "<n>"),
)
"""
Texts that differ between two runs of the same failure.

They are in the order of replacement.
"""

_STAMPS = tuple((re.compile(rule.pattern), rule.replacement) for rule in STAMPS)
_PLACEHOLDERS = tuple((re.compile(rule.pattern), rule.replacement) for rule in PLACEHOLDERS)


def cleaned(output: str) -> tuple[str, ...]:
    r"""
    Return the lines of *output* that may say what went wrong.

    They are without times, durations and absolute folders.

    >>> cleaned("collected 3 items\n12:01:02 ERROR /home/mia/shop/db.py: locked\n[####  ] 50%\n")
    ('ERROR db.py: locked',)
    """
    return tuple(_cleaned_lines(shown(output)))


_STARTUP = re.compile(r"Error processing line \d+ of .*\.pth:.*")
_STARTUP_END = "Remainder of file ignored"
"""The last line of what Python prints about a broken `.pth` file, traceback included."""


def _without_startup(lines: Iterable[str]) -> Iterator[str]:
    """Leave out what every run of a Python prints before it begins."""
    held = list[str]()
    for line in lines:
        if held and line.strip() == _STARTUP_END:
            held.clear()
        elif held or _STARTUP.fullmatch(line):
            held.append(line)
        else:
            yield line
    yield from held


def _cleaned_lines(text: str) -> Iterator[str]:
    for line in _without_startup(text.split("\n")):
        cut = line[:MAX_LINE].rstrip()
        if not _NOISE.fullmatch(cut):
            plain = replaced(cut, _STAMPS).strip()
            if plain and not _NOISE.fullmatch(plain):
                yield plain


def replaced(line: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str:
    """Return *line* with what the *rules* match replaced, one after the other."""
    return reduce(lambda text, rule: rule[0].sub(rule[1], text), rules, line)


def normalised(line: str) -> str:
    """
    Return *line* with placeholders for what differs between runs, on one line.

    >>> normalised("/srv/x/app.py:12: error: 3 of 0x7f31 left")
    '<path>: error: <n> of <n> left'
    """
    return " ".join(replaced(line, _PLACEHOLDERS).split())
