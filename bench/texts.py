"""Texts, entries and vectors, made of sentences that people wrote."""

import datetime as dt
import random
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from bench.prose import sentence_vectors, sentences
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES

SEED = 20261117
NOW = dt.datetime(2026, 11, 17, tzinfo=dt.UTC)
DAYS = 700
NOISE = 0.02
"""The length of the noise that is added to a vector of length 1."""

OF_AN_ENTRY = 4
"""Sentences: three of its description, one of its reasoning."""


class Writer:
    """
    Writes texts and entries.

    The same *seed* gives the same ones.
    """

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)
        self._sentences = sentences()

    def text(self, words: int) -> str:
        """Return so many words of sentences, the last of which may be cut off."""
        found = list[str]()
        while len(found) < words:
            found += self._random.choice(self._sentences).split()
        return " ".join(found[:words])

    def entry(self) -> Entry:
        """
        Return a learning of about 60 words.

        Most often it was seen once and has middling confidence.
        """
        return self.entry_of(self.parts())

    def parts(self) -> Sequence[int]:
        """Return the numbers of the sentences of an entry."""
        return [self._random.randrange(len(self._sentences)) for _ in range(OF_AN_ENTRY)]

    def entry_of(self, parts: Sequence[int]) -> Entry:
        """Return a learning made of the sentences *parts*, with a new name."""
        *described, reason = (self._sentences[number] for number in parts)
        timestamp = NOW - dt.timedelta(days=self._random.uniform(0, DAYS))
        place = f"{min(described[0].lower().split()[1:5], key=len).strip(',.')}_{self._random.randrange(10**9)}.py"
        return Entry(
            name=" ".join(described[-1].split()[:8]),
            description=f"{' '.join(described)} Seen in {place}.",
            reasoning=reason,
            category=self._random.choice(CATEGORIES),
            keywords=tuple(
                dict.fromkeys(word.strip(",.'!?").lower() for word in reason.split()[-5:])
            ),
            observation_count=1 + min(11, int(self._random.expovariate(1.0))),
            confidence=self._random.choices(CONFIDENCES, (1, 3, 1))[0],
            created_at=timestamp,
            updated_at=timestamp,
        )

    def lesson(self, heading: str) -> str:
        """Return an entry of a knowledge-bank file."""
        return (
            f"### {heading} {self.text(5)}\n{self.text(50)}\n- Observation count:"
            f" {self._random.randint(1, 5)}\n- Confidence: medium\n- Last observed: 2026-10-01\n\n"
        )

    def some(self, numbers: list[int], count: int) -> list[int]:
        """Return at most *count* of *numbers*, those at the beginning more often than others."""
        return list({numbers[int(len(numbers) * self._random.random() ** 3)] for _ in range(count)})


def vectors_of(
    parts: Sequence[Sequence[int]], dimensions: int, seed: int = SEED
) -> Iterator[Vector]:
    """
    Yield the vector of a text for each list of its sentences.

    It is the mean of the model's vectors, with 2 % noise.
    """
    generator = np.random.default_rng(seed)
    known = sentence_vectors()
    means = np.stack([known[list(numbers)].mean(axis=0) for numbers in parts])
    # A wider space has the same cosines.
    wide = np.tile(means, -(-dimensions // means.shape[1]))[:, :dimensions]
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    noise = generator.standard_normal(wide.shape, dtype=np.float32)
    wide += NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    for vector in wide:
        yield array("f", vector.astype(np.float32).tobytes())


def some_vectors(count: int, dimensions: int) -> Iterator[Vector]:
    """Yield the same *count* vectors of texts every time."""
    writer = Writer()
    yield from vectors_of([writer.parts() for _ in range(count)], dimensions)
