"""The history of an entry in words."""

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry_change import ENTRY_FIELDS
from hardwon.entrypoints.presenters.history import change_text

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def words(field: str, old: str | None, new: str | None) -> str:
    return change_text(PastChange(1, field, old, new, NOW))


@pytest.mark.parametrize(
    ("field", "old", "new", "text"),
    [
        ("title", "a", "b", "Name changed by hand"),
        ("description", "a", "b", "Text changed by hand"),
        ("confidence", "low", "high", "Confidence changed from low to high by hand"),
        ("importance_weight", None, "1.0", "Weight changed to 1.0 by hand"),
        ("tags", '["a", "b"]', '["b", "c"]', "Tags changed by hand: c added; a removed"),
        ("permanent", "false", "true", "Made permanent by hand"),
        ("permanent", "true", "false", "No longer permanent by hand"),
        ("reach", "shared", "home", "Chosen by hand to be shown in its project only"),
        ("superseded_by", "null", "0" * 16, "Superseded by another lesson"),
        ("superseded_by", "0" * 16, "null", "No longer superseded"),
        ("confidence_score", "0.5", "1.0", "Judged to be of use"),
        ("confidence_score", "1.0", "0.5", "Judged to mislead"),
        ("content", "hash", "other", "Text changed in its file"),
        ("some_field", "a", "b", "Some field changed"),
    ],
)
def test_a_change_is_said_in_words(field: str, old: str | None, new: str, text: str) -> None:
    assert words(field, old, new) == text


@given(
    field=st.sampled_from([*ENTRY_FIELDS, "confidence_score", "content"]) | st.text(max_size=9),
    old=st.none() | st.text() | st.lists(st.text()).map(json.dumps),
    new=st.none() | st.text() | st.lists(st.text()).map(json.dumps),
)
def test_any_stored_change_has_words(field: str, old: str | None, new: str | None) -> None:
    assert words(field, old, new).strip()
