"""A released migration is never edited, and statements do not depend on the order of columns."""

import ast
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.drift import expected_schema, normalised
from hardwon.adapters.sqlite.schema import NEWEST

RELEASED = {
    1: "12845a6ebdf230d5",
    2: "e10765c714c0ec1f",
    3: "6c7ad827820e5c13",
    4: "0116aea987f2c66e",
    5: "3b8a9f2ed202802f",
    6: "684fe06b26342311",
    7: "8cb6a1201996606a",
    8: "50ef2ff78d0af86e",
    9: "2b086f00c53c52e6",
    10: "cb8d5690a7e3e2f3",
    11: "3d15c41df1ea74a1",
    12: "7f2c694ae69e5565",
    13: "a6f2b8efbd42b2b7",
    14: "a6f2b8efbd42b2b7",
    15: "2d91a6b719bf5b26",
    16: "66e03118d88a45d1",
    17: "0643f80220d57d7f",
    18: "e7ca0b6b17df9580",
    19: "603f613da0e18960",
    20: "b10bb8dd32ff1aa3",
    21: "894da40361aea8f1",
    22: "14bb84f887db3664",
}
"""The beginning of the hash of the schema that the migrations up to a version yield. A line is never changed, only added."""

SOURCES = sorted((Path(__file__).parents[3] / "adapters").rglob("*.py"))
FROZEN = "migrations.py"
"""Its statements name what they select from tables that the same script made."""

UNNAMED = re.compile(
    r"\bINSERT\s+(?:OR\s+\w+\s+)?INTO\s+(\S+)\s+(?:AS\s+\w+\s+)?(?![\s(]|AS\s)", re.IGNORECASE
)


@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_a_released_version_has_the_schema_it_was_released_with(version: int) -> None:
    schema = sorted(expected_schema(version).items())
    text = "\n".join(f"{kind} {name} {normalised(sql)}" for (kind, name), sql in schema)

    assert hashlib.sha256(text.encode()).hexdigest()[:16] == RELEASED[version]


def statements(source: str) -> Iterator[str]:
    """Yield the texts in a module; the values in f-strings are empty."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def unnamed(source: str) -> list[str]:
    """Return the tables into which a statement inserts without naming columns."""
    return [table for text in statements(source) for table in UNNAMED.findall(text)]


@pytest.mark.parametrize(
    "source", [source for source in SOURCES if source.name != FROZEN], ids=lambda path: path.name
)
def test_every_insert_names_its_columns(source: Path) -> None:
    assert unnamed(source.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("statement", "tables"),
    [
        ("'INSERT INTO a VALUES (?)'", ["a"]),
        ("f'INSERT OR REPLACE INTO {table} VALUES ({marks})'", ["x"]),
        ("'INSERT INTO a SELECT b FROM c'", ["a"]),
        ("'INSERT INTO a' ' VALUES (?)'", ["a"]),
        ("'INSERT INTO a (b) VALUES (?)'", []),
        ("f'INSERT OR IGNORE INTO {table} ({columns}) SELECT b FROM c'", []),
    ],
)
def test_an_insert_without_columns_is_noticed(statement: str, tables: list[str]) -> None:
    assert unnamed(statement) == tables
