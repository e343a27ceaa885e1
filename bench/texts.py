"""Generated texts with the word frequencies of English."""

import datetime as dt
import random
from itertools import accumulate

from hardwon.adapters.minilm import wordpiece
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES

SEED = 20261117
NOW = dt.datetime(2026, 11, 17, tzinfo=dt.UTC)
DAYS = 700


def load_words() -> list[str]:
    """Return English words, the most frequent first, which is the order of the model's vocabulary."""
    path = f"{wordpiece.__file__.rpartition('/')[0]}/vocab.txt"
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return [line for line in lines if line.isascii() and line.isalpha() and len(line) > 1]


class Writer:
    """Writes texts and entries; the same *seed* gives the same ones. Word *n* of the vocabulary has frequency 1/n."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)
        self._words = load_words()
        self._frequencies = list(accumulate(1 / (rank + 1) for rank in range(len(self._words))))

    def text(self, words: int) -> str:
        """Return one sentence."""
        return " ".join(self._random.choices(self._words, cum_weights=self._frequencies, k=words))

    def entry(self) -> Entry:
        """Return a learning of about 60 words, most often seen once and of middling confidence."""
        timestamp = NOW - dt.timedelta(days=self._random.uniform(0, DAYS))
        return Entry(
            name=self.text(6),
            description=self.text(40),
            reasoning=self.text(15),
            category=self._random.choice(CATEGORIES),
            keywords=tuple(self.text(5).split()),
            observation_count=1 + min(11, int(self._random.expovariate(1.0))),
            confidence=self._random.choices(CONFIDENCES, (1, 3, 1))[0],
            created_at=timestamp,
            updated_at=timestamp,
        )

    def lesson(self, heading: str) -> str:
        """Return an entry of a knowledge-bank file."""
        return (
            f"### {heading} {self.text(5)}\n{self.text(50)}\n"
            f"- Observation count: {self._random.randint(1, 5)}\n- Confidence: medium\n- Last observed: 2026-10-01\n\n"
        )

    def some(self, seqs: list[int], count: int) -> list[int]:
        """Return at most *count* of *seqs*, those at the beginning more often than others."""
        return list({seqs[int(len(seqs) * self._random.random() ** 3)] for _ in range(count)})
