"""A folder that holds an evaluation set: `docs.jsonl`, `queries.jsonl` (or either with `.gz`) and `qrels.tsv`."""

import math
import os
from collections.abc import Sequence

from hardwon.adapters.evaluation.jsonl import COMPRESSED, Place, read_lines, read_objects, text_of
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.evaluation.eval_set import EvalSet, Judgement, Query, assemble, document_entry

DOCUMENTS, QUERIES, JUDGEMENTS = "docs.jsonl", "queries.jsonl", "qrels.tsv"
COLUMNS = 3


def read_eval_set(folder: str, name: str) -> EvalSet:
    """
    Return the set in *folder*.

    Args:
        folder: Holds the three files; `docs.jsonl.gz` and `queries.jsonl.gz` count where the plain ones are missing.
        name: What the set is called.

    Raises:
        InvalidEvaluationError: a file is missing or damaged, or there is nothing to measure.

    """
    if not os.path.isdir(folder):
        raise Place(folder).refuse("is not a folder")
    return assemble(
        name,
        _documents(_plain_or_compressed(folder, DOCUMENTS)),
        _queries(_plain_or_compressed(folder, QUERIES)),
        _judgements(os.path.join(folder, JUDGEMENTS)),
    )


def names_of(folders: Sequence[str]) -> list[str]:
    """Return what the sets in *folders* are called: the folders' own names, numbered where they repeat."""
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
    """Return the path of the file *name* in *folder*, with `.gz` if only that one is there."""
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


def _queries(path: str) -> list[Query]:
    queries = dict[str, Query]()
    for place, row in read_objects(path):
        query_id = _new_id(place, text_of(place, row, "id"), queries)
        group = text_of(place, row, "group", optional=True).strip() or None
        queries[query_id] = Query(query_id, text_of(place, row, "text"), group)
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
            raise place.refuse(f"query {columns[0]!r} and document {columns[1]!r} were judged before, and otherwise")
    return list(judged.values())


def _new_id(place: Place, identifier: str, known: dict[str, Entry | None] | dict[str, Query]) -> str:
    if not identifier.strip():
        raise place.refuse("id is blank")
    if identifier in known:
        raise place.refuse(f"the id {identifier!r} was there before")
    return identifier


def _ensure_header(place: Place, score: str) -> None:
    try:
        float(score)
    except ValueError:
        return
    raise place.refuse("is a judgement: the first line must be the header query-id, corpus-id, score")


def _grade(place: Place, text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise place.refuse(f"the score is {text[:40]!r}: it must be a number")
    return grade
