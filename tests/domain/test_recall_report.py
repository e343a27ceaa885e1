import attrs
import pytest

from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.report import Report
from tests.strategies import of_file

REPORT = Report("parser", "adaptive")


@pytest.mark.parametrize(
    ("name", "description", "told"),
    [
        ("A title", "A title\nThe parser waits.", ["1. A title", "The parser waits."]),
        ("The parser", "The parser waits for the lock.", ["1. The parser", "The parser waits for the lock."]),
        ("A title", "The parser waits.", ["1. A title", "The parser waits."]),
        ("Only this", "Only this", ["1. Only this"]),
    ],
)
def test_no_line_only_repeats_the_name(name: str, description: str, told: list[str]) -> None:
    entry = attrs.evolve(of_file(description), name=name)
    lines = [line.text.strip() for line in REPORT.listing([Answer(entry, 1.0, {})])]

    assert [line for line in lines if entry.entry_id[:8] not in line and line != entry.file_path] == told
