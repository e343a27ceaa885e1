"""
Questions about code: docstrings ask for the functions of Python's own library.

The functions are without their docstrings.
"""

import ast
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.eval_sets import read_sets
from bench.prose import library_modules
from hardwon.domain.model.evaluation.eval_set import EvalSet
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap_evaluation import evaluate_all

FUNCTIONS = 600
POLICIES = ("keyword", "vector", "weighted", "adaptive")

WORDS_OF_A_SENTENCE = range(4, 41)
CHARACTERS_OF_CODE = range(80, 3_001)

SEARCH_WORDS = 7
FILLERS = frozenset(
    "a an and are as be by for if is it of on or return returns that the this with".split()
)


class Function(NamedTuple):
    """A function's source without its docstring, and the first sentence of that."""

    code: str
    sentence: str


def functions() -> list[Function]:
    """
    Return 600 documented functions of Python's own library.

    They are spread evenly, in the order of its files.
    """
    nodes = (node for module in library_modules() for node in ast.walk(module))
    every = [*dict.fromkeys(filter(None, map(_described, nodes)))]
    return every[:: max(1, len(every) // FUNCTIONS)][:FUNCTIONS]


def _described(node: ast.AST) -> Function | None:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or len(node.body) == 1:
        return None
    sentence = " ".join(
        re.split(r"\n\s*\n|(?<=[.])\s", (ast.get_docstring(node) or "").strip())[0].split()
    )
    node.body = node.body[1:]
    code = ast.unparse(node)
    is_usable = len(sentence.split()) in WORDS_OF_A_SENTENCE and len(code) in CHARACTERS_OF_CODE
    return Function(code, sentence) if is_usable else None


def as_searched(sentence: str) -> str:
    """
    Return *sentence* as a typed search.

    It is a few words in lower case after the language.
    """
    words = [word for word in re.findall(r"[a-z0-9_]+", sentence.lower()) if word not in FILLERS]
    return " ".join(("python", *words[:SEARCH_WORDS]))


def sets(described: list[Function]) -> list[EvalSet]:
    """Return a set with the sentences of *described*, and one with searches for them."""
    forms: dict[str, Callable[[str], str]] = {"docstrings": str, "searches": as_searched}
    with tempfile.TemporaryDirectory() as folder:
        for name, form in forms.items():
            _write(Path(folder) / name, described, form)
        return read_sets([str(Path(folder) / name) for name in forms])


def _write(folder: Path, described: list[Function], form: Callable[[str], str]) -> None:
    write_set(
        folder,
        {str(place): function.code for place, function in enumerate(described)},
        [(form(function.sentence), str(place)) for place, function in enumerate(described)],
    )


def write_set(
    folder: Path, documents: Mapping[str, str], questions: Iterable[tuple[str, str]]
) -> None:
    """
    Write a set of texts by their ids.

    A question has the id of its answer.
    """
    folder.mkdir()
    asked = [*enumerate(questions)]
    texts = [{"id": name, "text": text} for name, text in documents.items()]
    queries = [{"id": str(place), "text": text} for place, (text, _) in asked]
    for name, rows in (("docs", texts), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    grades = (f"{place}\t{answer}\t1" for place, (_, answer) in asked)
    (folder / "qrels.tsv").write_text(
        "\n".join(("query-id\tcorpus-id\tscore", *grades)), encoding="utf-8"
    )


def measured(asked: list[EvalSet]) -> dict[str, dict[str, float]]:
    """Return nDCG@10, 0 to 1, by set and policy."""
    settings = Settings(global_store="", embedding_provider="local")
    report = evaluate_all(asked, list(POLICIES), settings, print, lambda _: lambda *_: None)
    return {
        name: {policy: of.policies[policy].ndcg for policy in POLICIES}
        for name, of in report.sets.items()
    }


def table() -> Iterator[str]:
    """Yield nDCG@10 of each policy for both forms of the questions."""
    yield f"{'questions':12}{''.join(f'{policy:>10}' for policy in POLICIES)}"
    for name, ndcg in measured(sets(functions())).items():
        yield f"{name:12}{''.join(f'{ndcg[policy]:10.4f}' for policy in POLICIES)}"
