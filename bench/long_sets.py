"""
`python -m bench.long_sets FOLDER OUT`: evaluation sets of long documents, made from the public
sets in FOLDER.

`one-subject`: notes about the same topic joined to at most 2,500 words or so; the title of the
first one is the question. `many-subjects`: logs of notes about random topics; the titles of up to
two of them are the questions. `long-chats`: consecutive turns of a chat joined to 100 to 2,000
words, with the questions of the chats.

The same sets come out of every run. `hardwon eval OUT/one-subject` reads what is written.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from bench.eval_sets import read_sets, relevant_documents
from hardwon.adapters.evaluation.cache import CachingEmbedder, VectorCache
from hardwon.adapters.evaluation.files import DOCUMENTS, JUDGEMENTS, QUERIES
from hardwon.adapters.minilm.embedder import MiniLmEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.evaluation.eval_set import EvalSet
from hardwon.domain.model.identity import word_count
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.entrypoints.bootstrap_evaluation import cache_folder

NOTES, CHATS = "til-jbranchaud", "beam-dialogue"

LENGTHS_OF_NOTES = (0, 0, 200, 400, 700, 1_000, 1_500, 2_000)
LENGTHS_OF_LOGS = (0, 0, 0, 400, 700, 1_000, 1_500, 2_000, 3_000)
LENGTHS_OF_CHATS = (100, 400, 800, 1_200, 2_000)
"""
The words of a document.

Parts are added until a document has so many, drawn for each. With 0 it has one part.
"""

SAME_SUBJECT = 0.3
"""The cosine above which two notes of a topic are about the same subject."""

SEED = 7

Embed = Callable[[Sequence[str]], Sequence[Vector]]
"""Texts to their unit vectors."""


class Note(NamedTuple):
    """
    A note with its title.

    Attributes:
        note_id: Begins with the folder of its topic.
        title: The question that the note answers.
        text: The note without its title.

    """

    note_id: str
    title: str
    text: str

    @property
    def topic(self) -> str:
        """The folder it is in."""
        return self.note_id.partition("/")[0]

    @property
    def titled(self) -> str:
        """The title above the text."""
        return f"{self.title}\n\n{self.text}"


class MadeSet(NamedTuple):
    """
    The rows of a set's three files.

    Attributes:
        documents: Fields of each document.
        queries: Fields of each question.
        judgements: The ids of question and document, and the grade.

    """

    documents: list[dict[str, str]]
    queries: list[dict[str, str]]
    judgements: list[tuple[str, str, float]]

    def write(self, folder: str) -> None:
        """Write the three files into *folder*, which is made when it is not there."""
        os.makedirs(folder, exist_ok=True)
        judged = [
            f"{query_id}\t{document_id}\t{grade:g}"
            for query_id, document_id, grade in self.judgements
        ]
        for name, rows in (
            (DOCUMENTS, map(json.dumps, self.documents)),
            (QUERIES, map(json.dumps, self.queries)),
            (JUDGEMENTS, ["query-id\tcorpus-id\tscore", *judged]),
        ):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.writelines(f"{row}\n" for row in rows)


def notes_of(eval_set: EvalSet) -> list[Note]:
    """
    Return the documents that a question asks for.

    Their title is the first such question.
    """
    titles = dict[str, str]()
    for asked in eval_set.queries:
        for document_id in relevant_documents(eval_set, asked):
            titles.setdefault(document_id, asked.query.text)
    return [
        Note(note_id, title, eval_set.documents[note_id].description)
        for note_id, title in titles.items()
    ]


def one_subject(notes: Sequence[Note], embed: Embed, seed: int = SEED) -> MadeSet:
    """
    Join notes with their nearest neighbours of the same topic.

    The title of the first one asks for the whole.
    """
    draw, made = random.Random(seed), MadeSet([], [], [])
    vectors = np.array(embed([note.text for note in notes]))
    unused = set(range(len(notes)))
    for first in draw.sample(range(len(notes)), len(notes)):
        if first not in unused:
            continue
        target = draw.choice(LENGTHS_OF_NOTES)
        near = [at for at in _neighbours(notes, vectors, first) if at in unused]
        parts = _until(target, (notes[at] for at in [first, *near]))
        unused -= {first, *near[: len(parts) - 1]}
        rest = draw.sample(parts[1:], len(parts) - 1)
        text = "\n\n".join([notes[first].text, *(part.titled for part in rest)])
        _add(made, notes[first].note_id, text, [notes[first]])
    return made


def many_subjects(notes: Sequence[Note], seed: int = SEED) -> MadeSet:
    """
    Join random notes, without their titles, to logs.

    The titles of one or two of them ask for the whole.
    """
    draw, made = random.Random(seed), MadeSet([], [], [])
    left = iter(draw.sample(notes, len(notes)))
    while parts := _until(draw.choice(LENGTHS_OF_LOGS), left):
        asking = dict.fromkeys(draw.choice(parts) for _ in range(2))
        _add(made, f"log/{parts[0].note_id}", "\n\n".join(part.text for part in parts), asking)
    return made


def long_chats(chats: EvalSet, seed: int = SEED) -> MadeSet:
    """
    Join consecutive turns of a chat.

    A question asks for the documents that hold a turn that answers it.
    """
    draw = random.Random(seed)
    documents, document_of, target = list[dict[str, str]](), dict[str, str](), 0
    for turn_id, turn in chats.documents.items():
        group, last = turn.source_project or "", documents[-1] if documents else None
        if last is None or last["group"] != group or word_count(last["text"]) >= target:
            written_at, target = turn.updated_at.isoformat(), draw.choice(LENGTHS_OF_CHATS)
            last = {
                "id": turn_id,
                "text": turn.description,
                "timestamp": written_at,
                "group": group,
            }
            documents.append(last)
        else:
            last["text"] += f"\n\n{turn.description}"
        document_of[turn_id] = last["id"]
    queries = [
        {"id": asked.query.query_id, "text": asked.query.text, "group": asked.query.group or ""}
        for asked in chats.queries
    ]
    grades = dict[tuple[str, str], float]()
    for asked in chats.queries:
        for turn_id in relevant_documents(chats, asked):
            pair = asked.query.query_id, document_of[turn_id]
            grades[pair] = max(grades.get(pair, 0), asked.grades[turn_id])
    return MadeSet(documents, queries, [(*pair, grade) for pair, grade in grades.items()])


def _neighbours(notes: Sequence[Note], vectors: np.ndarray, first: int) -> Iterator[int]:
    """Yield the places of the notes about the subject of *first*, nearest first."""
    cosines = vectors @ vectors[first]
    for at in map(int, np.argsort(-cosines, kind="stable")):
        if at != first and cosines[at] > SAME_SUBJECT and notes[at].topic == notes[first].topic:
            yield at


def _until(words: int, notes: Iterable[Note]) -> list[Note]:
    """
    Take from *notes* until there are so many *words*.

    At least one note, if there is any.
    """
    parts, length = list[Note](), 0
    for note in notes:
        parts.append(note)
        length += word_count(note.text)
        if length >= words:
            break
    return parts


def _add(made: MadeSet, document_id: str, text: str, asking: Iterable[Note]) -> None:
    made.documents.append({"id": document_id, "text": text})
    for note in asking:
        made.queries.append({"id": f"q:{note.note_id}", "text": note.title})
        made.judgements.append((f"q:{note.note_id}", document_id, 1))


def main() -> None:
    """Write the three sets."""
    parser = argparse.ArgumentParser(prog="python -m bench.long_sets", description=__doc__)
    parser.add_argument("folder", help=f"holds the sets {NOTES} and {CHATS}")
    parser.add_argument("out", help="gets a folder for each set")
    options = parser.parse_args()
    til, chats = read_sets([os.path.join(options.folder, name) for name in (NOTES, CHATS)])
    notes = notes_of(til)
    with closing(VectorCache(cache_folder(), print)) as cache:
        embedder, deadline = CachingEmbedder(MiniLmEmbedder(), cache), Deadline(time.monotonic)
        made = {
            "one-subject": one_subject(
                notes, lambda texts: embed_documents(embedder, texts, deadline)
            ),
            "many-subjects": many_subjects(notes),
            "long-chats": long_chats(chats),
        }
    for name, made_set in made.items():
        made_set.write(os.path.join(options.out, name))
        print(f"{name}: {len(made_set.documents)} documents, {len(made_set.queries)} questions")


if __name__ == "__main__":
    main()
