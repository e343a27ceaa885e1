"""The text of an edit that is embedded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.edit import MAX_GIST, Edit

SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("old", "new", "gist"),
    [
        ("", "a = 1\nb = 2", "db.py\na = 1\nb = 2"),
        ("a = 1\nb = 2", "a = 1\nb = 3", "db.py\nb = 3"),
        ("a = 1", "if b:\n    a = 1", "db.py\nif b:"),
        ("a = 1\nb = 2", "b = 2", "db.py\nb = 2"),
        ("a = 1", "", "db.py"),
    ],
    ids=["new", "changed", "indented", "removed", "emptied"],
)
def test_the_gist_has_the_new_lines(old: str, new: str, gist: str) -> None:
    assert Edit("db.py", old, new).gist == gist


@given(st.text(), st.text(), st.integers(0, 2 * MAX_GIST))
def test_it_is_short_and_without_secrets(old: str, new: str, before: int) -> None:
    gist = Edit("db.py", old, f"{'x ' * before}{SECRET} {new}").gist

    assert len(gist) <= MAX_GIST
    assert SECRET[:12] not in gist
