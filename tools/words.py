"""
Find the words of `words.txt` in code and documents.

Run `python -m tools.words [--count] [PATH ...]`.

It prints the place of each and the word to use instead, then how often each pattern was found; the
exit code is 1 if any was.

`--ratchet` (`make lint`) fails only where a file holds more of them than `words_left.txt` allows; a
file that is not listed holds none. `--lower` writes that list again, for less.
"""

import argparse
import ast
import io
import os
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("domain", "ports", "adapters", "entrypoints", "tests", "bench", "tools", "docs", "*.md")
NOT_CHECKED = ("CHANGELOG.md", "tests/golden")
LIST = Path(__file__).with_name("words.txt")
LEFT = Path(__file__).with_name("words_left.txt")
FIELDS = 3
LONGEST_SHOWN = 60
LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


class Rule(NamedTuple):
    """
    A pattern that must not occur.

    Attributes:
        scope: `name`, `test`, `loop`, `prose` or `code`; `words.txt` explains them.
        pattern: As it is written in the list.
        compiled: The pattern that is searched for.
        plain: The words to use instead.

    """

    scope: str
    pattern: str
    compiled: re.Pattern[str]
    plain: str


class Text(NamedTuple):
    """
    A piece of a file.

    Attributes:
        scopes: Rules of these scopes apply to it.
        line: The number of its first line.

    """

    scopes: frozenset[str]
    line: int
    text: str


class Found(NamedTuple):
    """A word in its place."""

    path: str
    line: int
    word: str
    rule: Rule


NAME, LOOP, PROSE = frozenset({"name"}), frozenset({"loop"}), frozenset({"prose"})
COMMENT, TEST = frozenset({"prose", "code"}), frozenset({"prose", "test"})


def rules(listed: str) -> list[Rule]:
    """Return the rules of a list in the form of `words.txt`."""
    lines = [line for line in listed.splitlines() if line.strip() and not line.startswith("#")]
    return [_rule(*line.split("\t", FIELDS - 1)) for line in lines]


def _rule(scope: str, pattern: str, plain: str) -> Rule:
    whole = pattern
    if scope in {"name", "loop"} and not pattern.startswith("^"):
        whole = rf"(?:^|_)(?:{pattern})(?=_|$)" if scope == "name" else rf"^(?:{pattern})$"
    flags = re.DOTALL if re.search(r"(?<!\\)[A-Z]", pattern) else re.DOTALL | re.IGNORECASE
    return Rule(scope, pattern, re.compile(whole.replace(" ", r"\s+"), flags), plain)


def texts_in(path: str, content: str) -> Iterator[Text]:
    """Yield the pieces of a file that rules apply to."""
    if not path.endswith(".py"):
        yield Text(PROSE, 1, _without_code(content))
        return
    tokens = list(tokenize.generate_tokens(io.StringIO(content).readline))
    yield Text(NAME, 1, _snake_case(Path(path).stem))
    yield from _names(tokens)
    yield from _comments(tokens)
    yield from _loops_and_docstrings(ast.parse(content), content.splitlines())


def _names(tokens: list[tokenize.TokenInfo]) -> Iterator[Text]:
    for token in tokens:
        if token.type == tokenize.NAME and token.string.startswith("test_"):
            yield Text(TEST, token.start[0], token.string.replace("_", " "))
        elif token.type == tokenize.NAME:
            yield Text(NAME, token.start[0], _snake_case(token.string))


def _snake_case(name: str) -> str:
    """
    Return *name* without leading underscores, its words apart.

    That of a constant as it is.
    """
    name = name.strip("_")
    return name if name.isupper() else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _loops_and_docstrings(tree: ast.Module, lines: list[str]) -> Iterator[Text]:
    for node in ast.walk(tree):
        if isinstance(node, LOOPS):
            yield from _variables(node.target)
        elif isinstance(node, ast.Lambda):
            yield from _variables(node.args)
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            text = re.sub(r'^\s*r?"""|"""[^"]*$', "", source)
            yield Text(COMMENT, node.lineno, _without_code(text))


def _variables(target: ast.AST) -> Iterator[Text]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield Text(LOOP, node.lineno, node.id)
        elif isinstance(node, ast.arg):
            yield Text(LOOP, node.lineno, node.arg)


def _comments(tokens: list[tokenize.TokenInfo]) -> Iterator[Text]:
    """
    Yield comments.

    Those on lines of their own that follow each other are one.
    """
    start, block = 0, list[str]()
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        text, line = token.string.lstrip("# "), token.start[0]
        if block and (line != start + len(block) or token.line[: token.start[1]].strip()):
            yield Text(COMMENT, start, _without_code("\n".join(block)))
            block = []
        start = start if block else line
        block.append(re.sub(r"^(noqa|type: ignore)\S*( [A-Z]+\d+,?)*\s*(# )?", "", text))
    if block:
        yield Text(COMMENT, start, _without_code("\n".join(block)))


def _without_code(text: str) -> str:
    """
    Return *text* with blank space in place of what is quoted as code.

    Lines stay lines.
    """
    return re.sub(r"^```.*?^```|``?[^`\n]+``?", _blank, text, flags=re.DOTALL | re.MULTILINE)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "x", found[0])


class WordList:
    """
    Rules, and the matches in the pieces seen so far.

    Identifiers repeat.
    """

    def __init__(self, wanted: list[Rule]) -> None:
        self.rules = wanted
        self._seen: dict[tuple[frozenset[str], str], list[tuple[int, str, Rule]]] = {}

    def search(self, path: str, content: str) -> list[Found]:
        """
        Return what the rules forbid in a file, in the order of lines.

        A line has it once.
        """
        found: set[Found] = set()
        for scopes, line, text in texts_in(path, content):
            if (scopes, text) not in self._seen:
                self._seen[scopes, text] = list(self._matches(scopes, text))
            found |= {
                Found(path, line + lines, word, rule)
                for lines, word, rule in self._seen[scopes, text]
            }
        return sorted(found, key=lambda place: (place.line, place.word))

    def _matches(self, scopes: frozenset[str], text: str) -> Iterator[tuple[int, str, Rule]]:
        """Yield matches, each with the number of lines before its first word."""
        for rule in self.rules:
            if rule.scope in scopes:
                for found in rule.compiled.finditer(text):
                    yield (
                        text[: found.end()].count("\n") - found[0].lstrip().count("\n"),
                        _shown(found[0]),
                        rule,
                    )


def _shown(word: str) -> str:
    return " ".join(word.strip("_").split())[:LONGEST_SHOWN]


def files(places: list[str]) -> list[str]:
    """Return the files of *places*, which are files, folders or patterns, below the repository."""
    named = [path for place in places for path in sorted(ROOT.glob(place))]
    paths = [
        path
        for place in named
        for path in (sorted(place.rglob("*")) if place.is_dir() else [place])
    ]
    names = [path.relative_to(ROOT).as_posix() for path in paths if path.suffix in {".py", ".md"}]
    return [name for name in names if not name.startswith(NOT_CHECKED)]


def allowed() -> dict[str, int]:
    """Return how many words each file may still hold."""
    lines = LEFT.read_text(encoding="utf-8").splitlines()
    return {path: int(count) for count, path in (line.split() for line in lines)}


def ratchet(words: WordList, *, lower: bool) -> int:
    """
    Compare every file with the number that it is allowed, or write those numbers.

    Return the exit code.
    """
    found = {
        path: words.search(path, (ROOT / path).read_text(encoding="utf-8"))
        for path in files(list(PLACES))
    }
    if lower:
        LEFT.write_text(
            "".join(f"{len(left)} {path}\n" for path, left in found.items() if left),
            encoding="utf-8",
        )
        return 0
    limits = allowed()
    excess = [path for path, left in found.items() if len(left) > limits.get(path, 0)]
    for place in (place for path in excess for place in found[path]):
        print(f"{place.path}:{place.line}: {place.word} → {place.rule.plain}")
    return 1 if excess else 0


def main() -> int:
    """Search, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.words", description="Find words that we do without."
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file or folder below the repository (default: all)",
    )
    parser.add_argument(
        "--count", action="store_true", help="only print how often each pattern was found"
    )
    parser.add_argument(
        "--ratchet", action="store_true", help="fail where a file holds more than it is allowed"
    )
    parser.add_argument("--lower", action="store_true", help="allow each file what it holds now")
    options = parser.parse_args()
    words = WordList(rules(LIST.read_text(encoding="utf-8")))
    if options.ratchet or options.lower:
        return ratchet(words, lower=options.lower)
    counts: Counter[Rule] = Counter()
    for path in files([os.path.relpath(path, ROOT) for path in options.paths] or list(PLACES)):
        for found in words.search(path, (ROOT / path).read_text(encoding="utf-8")):
            counts[found.rule] += 1
            if not options.count:
                print(f"{found.path}:{found.line}: {found.word} → {found.rule.plain}")
    for rule, count in counts.most_common():
        print(f"{count:6}  {rule.scope:5}  {rule.pattern[:60]} → {rule.plain}")
    print(f"{counts.total():6}  in all")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
