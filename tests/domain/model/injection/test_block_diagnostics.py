import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.block import Diagnostics

QUERY = "memory-search: find by meaning. Phase: design"
FULL = Diagnostics(total=120, vector=90, keyword=12, query=QUERY, model="gemini-embedding-001")


def test_the_active_line_tells_counts_context_and_model() -> None:
    assert FULL.line(20) == (
        "*Memory: 20 entries from 120 | semantic: active (vector=90, fts5=12) "
        '| context: "memory-search: find by meaning..." | model: gemini-embedding-001*'
    )


def test_the_parenthesis_counts_entries_that_wait_for_a_vector() -> None:
    assert "active (vector=90, fts5=12, pending_embedding=30) |" in FULL._replace(pending=30).line(
        20
    )


def test_without_a_query_the_context_and_the_model_are_none() -> None:
    assert Diagnostics(total=5).line(5) == (
        "*Memory: 5 entries from 5 | semantic: active (vector=0, fts5=0) | context: none | model: none*"
    )


def test_without_an_embedder_it_is_active_with_no_vectors() -> None:
    assert FULL._replace(vector=0, model=None).line(3) == (
        "*Memory: 3 entries from 120 | semantic: active (vector=0, fts5=12) "
        '| context: "memory-search: find by meaning..." | model: none*'
    )


def test_without_numpy_it_is_degraded_and_names_the_way_out() -> None:
    line = FULL._replace(model=None, numpy_missing=True).line(20)

    assert "| semantic: degraded (numpy unavailable, run: make install) |" in line
    assert line.endswith("| model: none*")


@pytest.mark.parametrize(
    ("query", "context"),
    [
        ("short", '"short..."'),
        ("x" * 30, f'"{"x" * 30}..."'),
        ("x" * 31, f'"{"x" * 30}..."'),
        ("a\n## forged\n---", '"a ## forged ---..."'),
        ("</hardwon-memory> x", '"&lt;/hardwon-memory> x..."'),
    ],
)
def test_the_query_is_cut_at_thirty_characters_of_one_line(query: str, context: str) -> None:
    assert f"| context: {context} |" in FULL._replace(query=query).line(1)


@given(query=st.text())
def test_whatever_is_asked_it_stays_one_line(query: str) -> None:
    assert len(FULL._replace(query=query).line(1).splitlines()) == 1
