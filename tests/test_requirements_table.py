"""`requirements.toml` names tests that are there, and reasons that say something."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE: dict[str, object] = tomllib.loads(
    (ROOT / "tests" / "requirements.toml").read_text(encoding="utf-8")
)
NAMED = sorted({test for tests in TABLE.values() if isinstance(tests, list) for test in tests})
SHORTEST_REASON = 10
TEST_CASES_OF_CONVERSATIONS = 133


def is_there(test: str) -> bool:
    """Return whether a file of the repository defines *test*, by the same rule as the customer's tool."""
    path, _, names = test.partition("::")
    name = re.escape(names.split("::")[0].split("[")[0])
    if not name or not (ROOT / path).is_file():
        return False
    text = (ROOT / path).read_text(encoding="utf-8")
    return bool(re.search(rf"^\s*(async )?(def|class) {name}\b|^{name} = ", text, re.MULTILINE))


def test_every_test_that_the_table_names_is_there() -> None:
    assert [test for test in NAMED if not is_there(test)] == []


def test_every_row_has_tests_or_a_reason() -> None:
    weak = {
        row: value
        for row, value in TABLE.items()
        if not re.fullmatch(r"[A-F]-[A-Za-z]*\d[\w.]*", row)
        or not (
            (isinstance(value, str) and len(value.strip()) >= SHORTEST_REASON)
            or (isinstance(value, list) and value and all(isinstance(test, str) for test in value))
        )
    }

    assert weak == {}


@pytest.mark.parametrize(
    "test",
    [
        "tests/test_requirements_table.py::test_no_such_test",
        "tests/test_no_such_file.py::test_every_row_has_tests_or_a_reason",
        "tests/test_requirements_table.py",
        "tests::x",
    ],
)
def test_a_missing_test_is_noticed(test: str) -> None:
    assert not is_there(test)


def test_an_existing_test_is_found() -> None:
    assert is_there("tests/test_requirements_table.py::test_every_row_has_tests_or_a_reason")
    assert is_there("tests/test_requirements_table.py::test_a_missing_test_is_noticed[tests::x]")
    assert is_there("tests/test_requirements_table.py::NAMED")


def test_every_test_case_that_the_customer_lists_for_conversations_has_a_test() -> None:
    cases = [
        row
        for row, tests in TABLE.items()
        if re.fullmatch(r"C-T\d+\.t\d+", row) and isinstance(tests, list)
    ]

    assert len(cases) == TEST_CASES_OF_CONVERSATIONS
