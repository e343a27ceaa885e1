r"""
The output of a command, cleaned: what is left says what went wrong.

Three steps: the terminal's marks go (`shown`), lines that say nothing and the labels of a runner
go (`cleaned`), and what differs between two runs of the same failure becomes a placeholder
(`normalised`). Each step is idempotent. Linear in the length of the output, of which the middle
is cut.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from hardwon.domain.model.text import lazy

MAX_OUTPUT = 40_000
"""
The characters that are read.

A fourth of them is from the beginning, the others are from the end.
"""

MAX_LINE = 500
"""The characters of a line that are read."""

_BEGINNING = MAX_OUTPUT // 4
_LINE_END = "\n"

_ESCAPES = lazy(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links
    r"|\x1b[ -/]*[0-~]|[\x80-\x9f]"
)
_CONTROLS = lazy(
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

_NOISE = lazy("|".join(f"(?:{rule.pattern})" for rule in NOISE))

_DATE = r"\d{4}[-/]\d\d[-/]\d\d"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?"
_SEGMENT = r"[^\s/\\:'\"`<>|()\[\],;=*]+"

STAMPS = (
    Cleaner(
        "source and time",
        r"^(?:\s*(?:#\d+ \d+\.\d+ "  # the step of an image
        rf"|[^\t]+\t[^\t]+\t{_DATE}T{_CLOCK}Z(?: |$)"  # the job and step of a workflow
        rf"|{_DATE}T{_CLOCK}Z \d\d[OE](?:[ +]|$)"  # the stream of a job
        rf"|[^\W\d]{{3,5}}\.? [ \d]\d {_CLOCK} [\w.-]+ [^\s:\[]+(?:\[\d+\])?:(?: |$)"  # a journal
        rf"|{_DATE}T{_CLOCK}\S* (?:[\w.-]+ )?[^\s:\[]+\[[\w.-]+\]:(?: |$)"
        rf"|{_CLOCK} [\w.:-]+ +\|(?: |$)))+",  # a process manager
    ),
    Cleaner("date and time", rf"\[?\b{_DATE}(?:[T ]{_CLOCK}(?:Z|\s?[+-]\d\d:?\d\d)?)?\]?"),
    Cleaner("clock", rf"\[?\b{_CLOCK}\b\]?"),
    Cleaner("duration", r"\b(?:in )?\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|min|m)\b"),
    Cleaner(
        "absolute folder", rf"(?<![\w.~:/])(?:~|[A-Za-z]:)?(?:/|\\\\?)(?:{_SEGMENT}(?:/|\\\\?))+"
    ),
)
"""Texts that depend on when and where a command ran."""

_LEVEL = (
    r"(?i:errors?|warn|info|debug|trace|notice|note|hint|help|fatal|critical|panic|fail(?:ed|ure)?|ok|pass(?:ed)?|"
    r"skipped|run|remote|caused|\w*(?:error|exception|warning))(?![\w./-])"
)
_WORD = rf"(?!{_LEVEL})[\w@.+/-]+"
_TASK = rf"(?!{_LEVEL})[\w.:-]+"

LABELS = (
    Cleaner("column", rf"(?:(?!\d+\s){_WORD}(?::{_WORD})?\s+[|│]|\[[^\[\]\s]+\]\s+\|)(?=\s|$)"),
    Cleaner("bracket", rf"\[(?:\d{{1,3}}|(?!{_LEVEL})@?[^\W\d][\w.@:/ -]+)\](?::|(?=\s|$))"),
    Cleaner("task", rf"(?:/|{_WORD})(?::[A-Za-z][\w.-]*)+:(?=\s|$)|@[\w.-]+/[\w.-]+:(?=\s|$)"),
    Cleaner("folder", rf"(?:\.|[\w@.-]+(?:/[\w@.-]+)+) {_TASK}[:$](?=\s|$)"),
)
"""Labels that a runner of several programs prints before their lines."""

NAME = Cleaner("name", rf"(?:{_WORD} )?{_WORD}(?: \([\w-]+\))?[:>](?=\s|$)|\(\w[\w .=,]+\)(?=\s|$)")
"""A label only before texts of different indentation."""

PLACEHOLDERS = (
    Cleaner(
        "path",
        rf"(?:(?:~|[A-Za-z]:)?[/\\]|(?<!{_SEGMENT[:-1]})(?!@))(?:{_SEGMENT}[/\\])+(?:{_SEGMENT})?"
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

_STAMPS = tuple((lazy(rule.pattern), rule.replacement) for rule in STAMPS)
_PLACEHOLDERS = tuple((lazy(rule.pattern), rule.replacement) for rule in PLACEHOLDERS)


def cleaned(output: str) -> tuple[str, ...]:
    r"""
    Return the lines of *output* that may say what went wrong.

    They are without times, durations and absolute folders.

    >>> cleaned("collected 3 items\n12:01:02 ERROR /home/mia/shop/db.py: locked\n[####  ] 50%\n")
    ('ERROR db.py: locked',)
    >>> cleaned("app-1  | ready\ndb-1   | ready\napp-1  | \napp-1  | KeyError: 'quarter'\n")
    ('ready', 'ready', "KeyError: 'quarter'")
    """
    lines = tuple(_cleaned_lines(shown(output).split("\n")))
    while (bare := _without_labels(lines)) != lines:
        lines = tuple(_cleaned_lines(bare))
    return lines


_LABEL = lazy(
    f"(?:==> |\\S YN0000: )?(?:({'|'.join(rule.pattern for rule in LABELS)})|({NAME.pattern}))"
)


class _Labelled(NamedTuple):
    label: str
    text: str
    is_name: bool = False


def _labelled(line: str) -> _Labelled:
    if not (found := _LABEL.match(line)):
        return _Labelled("", line)
    return _Labelled(found[1] or found[2], line[found.end() :], bool(found[2]))


def _labels(lines: Sequence[str]) -> set[str]:
    """Return the labels of *lines* if most lines have one, on average two."""
    labelled = [found for found in map(_labelled, lines) if found.label]
    indents = defaultdict[str, set[str]](set)
    for label, text, _ in labelled:
        if plain := text.lstrip():
            indents[label].add(text.removesuffix(plain))
    labels = {label for label, _, is_name in labelled if not is_name or len(indents[label]) > 1}
    lines_of_labels = sum(label in labels for label, _, _ in labelled)
    is_most = 2 * lines_of_labels > len(lines) and lines_of_labels >= 2 * len(labels)
    return labels if is_most else set()


_ROWS = lazy(r"\((\d{1,9}) rows?\)")
"""The end of a table of psql and its like."""


def _in_tables(lines: Sequence[str]) -> Iterable[tuple[str, bool]]:
    """Pair *lines* with whether they are header, row or end of a table."""
    left, found = 0, list[bool]()
    for line in reversed(lines):
        end = _ROWS.fullmatch(line)
        found.append(bool(end) or left > 0)
        left = int(end[1]) + 1 if end else left - 1
    return zip(lines, reversed(found), strict=True)


def _without_labels(lines: tuple[str, ...]) -> tuple[str, ...]:
    """
    Return *lines* without the labels of runners, of which one may run another.

    The first column of a table is no label.
    """
    while labels := _labels([line for line, is_cell in _in_tables(lines) if not is_cell]):
        bare = (
            line if is_cell else _without_label(line, labels) for line, is_cell in _in_tables(lines)
        )
        lines = tuple(filter(None, bare))
    return lines


def _without_label(line: str, labels: Container[str]) -> str:
    label, text, _ = _labelled(line)
    return _without_stamps(text.strip()) if label in labels else line


_STARTUP = lazy(r"Error processing line \d+ of .*\.pth:.*")
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


def _cleaned_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in _without_startup(lines):
        cut = line[:MAX_LINE].rstrip()
        if not _NOISE.fullmatch(cut):
            plain = _without_stamps(cut.strip())
            if plain == cut or (plain and not _NOISE.fullmatch(plain)):
                yield plain


def _without_stamps(line: str) -> str:
    while (plain := replaced(line, _STAMPS).strip()) != line:
        line = plain
    return line


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
