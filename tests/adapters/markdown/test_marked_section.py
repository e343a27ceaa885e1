import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.marked_section import BEGIN, END, with_section
from hardwon.domain.model.errors import InvalidSectionError

PIECES = [
    "a",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\ufeff",
    "\u2028",
    BEGIN,
    END,
    "<!--",
    "hardwon:begin",
    "# Title",
    "é",
]
documents = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
plain = st.lists(
    st.sampled_from([piece for piece in PIECES if piece not in {BEGIN, END}]), max_size=8
).map("".join)
line_ends = st.sampled_from(["\n", "\r\n"])


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [
        ("", "x\n", f"{BEGIN}\nx\n{END}\n"),
        ("# Mine", "x", f"# Mine\n\n{BEGIN}\nx\n{END}\n"),
        ("# Mine\n", "x", f"# Mine\n\n{BEGIN}\nx\n{END}\n"),
        ("# Mine\n\n", "x", f"# Mine\n\n{BEGIN}\nx\n{END}\n"),
        ("# Mine\r\n", "x\ny", f"# Mine\r\n\r\n{BEGIN}\r\nx\r\ny\r\n{END}\r\n"),
        (f"a\n{BEGIN}\nold\n{END}\nb", "new", f"a\n{BEGIN}\nnew\n{END}\nb"),
        (f"a\n{BEGIN}\n{END}", "new", f"a\n{BEGIN}\nnew\n{END}"),
        (f"a\n{BEGIN}\nold\n{END}\nb", "", f"a\n{BEGIN}\n{END}\nb"),
        (f"\ufeff{BEGIN}\n  {END} \t\n", "x", f"\ufeff{BEGIN}\nx\n  {END} \t\n"),
        (f"Write {BEGIN} and {END}.", "", f"Write {BEGIN} and {END}."),
        ("# Mine", "", "# Mine"),
        ("", "", ""),
    ],
)
def test_the_section_is_put_where_it_belongs(document: str, text: str, expected: str) -> None:
    assert with_section(document, text) == expected


@pytest.mark.parametrize(
    "document",
    [
        BEGIN,
        END,
        f"{END}\n{BEGIN}\n",
        f"{BEGIN}\n{BEGIN}\n{END}\n",
        f"{BEGIN}\n{END}\n{END}\n",
        f"a\n{BEGIN}\nb",
    ],
)
def test_markers_that_are_not_one_of_each_in_order_are_refused(document: str) -> None:
    with pytest.raises(InvalidSectionError, match="hardwon:"):
        with_section(document, "x")


@given(document=documents, text=documents)
@example("x", "\n")
@example("", f"{BEGIN}\n{END}")
@example("a\r\nb", "x\r")
def test_writing_twice_is_writing_once(document: str, text: str) -> None:
    try:
        once = with_section(document, text)
    except InvalidSectionError:
        return

    assert with_section(once, text) == once


@given(before=plain, old=plain, after=plain, text=documents, line_end=line_ends)
def test_all_text_outside_the_markers_is_untouched(
    before: str, old: str, after: str, text: str, line_end: str
) -> None:
    head, tail = f"{before}\n{BEGIN}{line_end}", f"{END}{line_end}{after}"
    changed = with_section(f"{head}{old}\n{tail}", text)

    assert changed.startswith(head)
    assert changed.endswith(tail)
    assert f"{old}\n" not in changed[len(head) : -len(tail)] or old in text or not old.strip()


@given(document=plain, text=documents)
def test_a_new_section_only_adds_to_the_end(document: str, text: str) -> None:
    changed = with_section(document, text)

    assert changed.startswith(document)
    assert changed == document or (changed.count(f"{BEGIN}") == 1 == changed.count(END))


@given(document=plain, text=documents)
def test_no_text_can_forge_a_marker(document: str, text: str) -> None:
    changed = with_section(with_section(document, "first"), text)

    assert with_section(changed, "first") == with_section(document, "first")
