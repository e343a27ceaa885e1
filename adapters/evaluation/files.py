"""
Read evaluation sets, and reports as JSON.

A set is a folder with `docs.jsonl`, `queries.jsonl` (or either with `.gz`) and `qrels.tsv`. A
report is printed by `hardwon eval --json` and read by `--compare`.
"""

import gzip
import io
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, InvalidEvaluationError
from hardwon.domain.model.evaluation.eval_set import (
    EvalQuery,
    EvalSet,
    Judgement,
    assemble,
    document_entry,
)
from hardwon.domain.model.evaluation.report import (
    MEAN,
    TOLERANCE,
    ByPolicy,
    EvaluationReport,
    PolicyChange,
    PolicyFigures,
    QueryReport,
    SetReport,
)

MAX_LINE_BYTES = 16 * 1024 * 1024
"""The longest text that can be stored fits, escaped."""

MAX_UNPACKED = 1024 * 1024 * 1024
"""
Bytes that a gzip file may unpack to.

A few kilobytes can hold any amount.
"""

COMPRESSED = ".gz"


class FileLine:
    """
    A line of a file, or the whole file.

    Args:
        path: The file.
        number: The line, from 1; 0 for the file as a whole.
    """

    def __init__(self, path: str, number: int = 0) -> None:
        self.path = path
        self.number = number

    def refuse(self, reason: str) -> InvalidEvaluationError:
        """Return the error that names this place and the *reason*."""
        line = f" line {self.number}" if self.number else ""
        return InvalidEvaluationError(f"{self.path}{line}: {reason}")


def read_lines(path: str) -> Iterator[tuple[FileLine, str]]:
    """
    Yield the non-blank lines of a file with their places.

    Line ends are removed. A file whose name ends in `.gz` is unpacked line by line.

    Raises:
        InvalidEvaluationError: the file can't be read, is no UTF-8 text, or has a line of over 16
            MB; or it is no whole gzip file, or unpacks to over 1 GB.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # reading a pipe would block for ever
        raise FileLine(path).refuse("is not a file")
    try:
        with _opened(path) as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if path.endswith(COMPRESSED) and file.tell() > MAX_UNPACKED:
                    raise FileLine(path).refuse(
                        f"unpacks to over {MAX_UNPACKED} bytes: unpack it first if it is yours"
                    )
                if text := _decoded(FileLine(path, number), line).strip("\r\n"):
                    yield FileLine(path, number), text
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileLine(path).refuse(f"is no gzip file, or damaged ({error})") from error
    except OSError as error:
        raise FileLine(path).refuse(error.strerror or str(error)) from error


def read_whole(path: str) -> str:
    """
    Return the non-blank lines of a file as one text.

    Raises:
        InvalidEvaluationError: as for `read_lines`.
    """
    return "\n".join(line for _, line in read_lines(path))


def read_objects(path: str) -> Iterator[tuple[FileLine, dict[str, Any]]]:
    """
    Yield the JSON objects of a file, one a line.

    Raises:
        InvalidEvaluationError: as for `read_lines`, or a line is no JSON object.
    """
    for place, line in read_lines(path):
        yield place, parse_object(place, line)


def parse_object(place: FileLine, text: str) -> dict[str, Any]:
    """
    Parse the JSON object *text*.

    Raises:
        InvalidEvaluationError: it is none.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise place.refuse(f"is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise place.refuse(f"is {_shortened(document)}, not a JSON object")
    return document


def text_of(
    place: FileLine, document: dict[str, Any], field: str, *, optional: bool = False
) -> str:
    """Return the text of a field, empty if optional and missing."""
    value = document.get(field)
    if value is None and optional:
        return ""
    if not isinstance(value, str):
        found = f"is {_shortened(value)}" if field in document else "is missing"
        raise place.refuse(f"{field} {found}: it must be a text")
    if "\0" in value:
        raise place.refuse(
            f"{field} holds a NUL character at position {value.index(chr(0))}: remove it"
        )
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise place.refuse(f"{field} holds half a surrogate pair: it is not valid text")
    return value


def _opened(path: str) -> io.BufferedIOBase:
    return gzip.open(path) if path.endswith(COMPRESSED) else open(path, "rb")


def _decoded(place: FileLine, line: bytes) -> str:
    if len(line) > MAX_LINE_BYTES:
        raise place.refuse(f"has over {MAX_LINE_BYTES} bytes (16 MB): is this the right file?")
    try:
        return line.decode("utf-8-sig" if place.number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise place.refuse(
            f"is not UTF-8 text (byte {error.start + 1}): is this the right file?"
        ) from error


def _shortened(value: object) -> str:
    return repr(value)[:40]


DOCUMENTS, QUERIES, JUDGEMENTS = "docs.jsonl", "queries.jsonl", "qrels.tsv"
COLUMNS = 3


def read_eval_set(folder: str, name: str) -> EvalSet:
    """
    Read the evaluation set *name* in *folder*.

    `docs.jsonl.gz` and `queries.jsonl.gz` count if the plain files are missing.
    """
    if not os.path.isdir(folder):
        raise FileLine(folder).refuse("is not a folder")
    return assemble(
        name,
        _documents(_plain_or_compressed(folder, DOCUMENTS)),
        queries=_queries(_plain_or_compressed(folder, QUERIES)),
        judgements=_judgements(os.path.join(folder, JUDGEMENTS)),
    )


def names_of(folders: Sequence[str]) -> list[str]:
    """Return the sets' names: those of *folders*, numbered if they repeat."""
    names = list[str]()
    for folder in folders:
        own = os.path.basename(os.path.realpath(folder)) or "set"
        number, name = 1, own
        while name in names:
            number += 1
            name = f"{own}-{number}"
        names.append(name)
    return names


def _plain_or_compressed(folder: str, name: str) -> str:
    plain = os.path.join(folder, name)
    compressed = plain + COMPRESSED
    return compressed if os.path.exists(compressed) and not os.path.lexists(plain) else plain


def _documents(path: str) -> dict[str, Entry | None]:
    documents = dict[str, Entry | None]()
    for place, row in read_objects(path):
        document_id = _new_id(place, text_of(place, row, "id"), documents)
        try:
            documents[document_id] = document_entry(
                document_id,
                text_of(place, row, "text"),
                title=text_of(place, row, "title", optional=True),
                written_at=text_of(place, row, "timestamp", optional=True),
                group=text_of(place, row, "group", optional=True).strip() or None,
            )
        except InvalidEntryError as error:
            raise place.refuse(str(error)) from error
    return documents


def _queries(path: str) -> list[EvalQuery]:
    queries = dict[str, EvalQuery]()
    for place, row in read_objects(path):
        query_id = _new_id(place, text_of(place, row, "id"), queries)
        group = text_of(place, row, "group", optional=True).strip() or None
        queries[query_id] = EvalQuery(query_id, text_of(place, row, "text"), group)
    return list(queries.values())


def _judgements(path: str) -> list[Judgement]:
    judged = dict[tuple[str, str], Judgement]()
    lines = read_lines(path)
    for place, line in lines:
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            raise place.refuse(f"has {len(columns)} columns, not {COLUMNS} with tabs between them")
        if place.number == 1:
            _ensure_header(place, columns[2])
            continue
        judgement = Judgement(columns[0], columns[1], _grade(place, columns[2]))
        if judged.setdefault(judgement[:2], judgement) != judgement:
            raise place.refuse(
                f"query {columns[0]!r} and document {columns[1]!r} were judged before, and"
                " otherwise"
            )
    return list(judged.values())


def _new_id(
    place: FileLine, identifier: str, known: dict[str, Entry | None] | dict[str, EvalQuery]
) -> str:
    if not identifier.strip():
        raise place.refuse("id is blank")
    if identifier in known:
        raise place.refuse(f"the id {identifier!r} was there before")
    return identifier


def _ensure_header(place: FileLine, score: str) -> None:
    try:
        float(score)
    except ValueError:
        return
    raise place.refuse(
        "is a judgement: the first line must be the header query-id, corpus-id, score"
    )


def _grade(place: FileLine, text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise place.refuse(f"the score is {text[:40]!r}: it must be a number")
    return grade


KEYS: Mapping[str, str] = {
    "ndcg": "ndcg@10",
    "few_recall": "recall@5",
    "recall": "recall@10",
    "mrr": "mrr",
    "few_hit": "hit@5",
    "p50_ms": "p50_ms",
    "p95_ms": "p95_ms",
}
"""The JSON names of the fields of `PolicyFigures`."""

NDCG = KEYS["ndcg"]


def report_document(report: EvaluationReport, *, per_query: bool = False) -> dict[str, Any]:
    """
    Return *report* for JSON.

    *per_query* adds each question's text and nDCG@10.
    """
    sets = {
        name: {
            "policies": _policies(report_set.policies),
            **(
                {"queries": {key: _query(query) for key, query in report_set.queries.items()}}
                if per_query
                else {}
            ),
        }
        for name, report_set in report.sets.items()
    }
    return {"sets": sets, **({MEAN: {"policies": _policies(report.mean)}} if report.mean else {})}


def comparison_document(changes: Sequence[PolicyChange]) -> dict[str, Any]:
    """Return *changes* for JSON: the differences, and the regressions among them."""
    differences: dict[str, dict[str, dict[str, float]]] = {}
    for change in changes:
        differences.setdefault(change.set_name, {})[change.policy] = _figures(change.differences)
    regressions = [
        {
            "set": change.set_name,
            "policy": change.policy,
            "figure": KEYS[name],
            "before": getattr(change.before, name),
            "after": getattr(change.after, name),
        }
        for change in changes
        for name in change.regressions
    ]
    return {"tolerance": TOLERANCE, "differences": differences, "regressions": regressions}


def read_report(path: str) -> EvaluationReport:
    """Read a report printed as JSON."""
    place = FileLine(path)
    document = parse_object(place, read_whole(path))
    try:
        return EvaluationReport(
            {name: _set_report(fields) for name, fields in document["sets"].items()}
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise place.refuse("is no report of `hardwon eval --json`") from error


def _set_report(document: Mapping[str, Any]) -> SetReport:
    return SetReport(
        policies={
            policy: _read_figures(figures) for policy, figures in document["policies"].items()
        },
        queries={
            key: QueryReport(
                query["text"], {policy: _number(value) for policy, value in query[NDCG].items()}
            )
            for key, query in document.get("queries", {}).items()
        },
    )


def _read_figures(document: Mapping[str, Any]) -> PolicyFigures:
    return PolicyFigures(**{name: _number(document[key]) for name, key in KEYS.items()})


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(value)
    return float(value)


def _policies(policies: ByPolicy) -> dict[str, dict[str, float]]:
    return {policy: _figures(figures) for policy, figures in policies.items()}


def _figures(figures: PolicyFigures) -> dict[str, float]:
    return {KEYS[name]: value for name, value in figures._asdict().items()}


def _query(query: QueryReport) -> dict[str, Any]:
    return {"text": query.text, NDCG: dict(query.ndcg)}
