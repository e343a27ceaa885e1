import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.setup.marked_lines import BEGIN, END, with_lines, without_lines

texts = st.lists(st.sampled_from(["a = 1", "", "# x", "[t]", " "]), max_size=5).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(texts, st.sampled_from(["\n", "\r\n"]))
def test_lines_put_in_and_taken_out_leave_the_text_as_it_was(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    once = with_lines(text, "ours = 1\n")

    assert once.startswith(text)
    assert with_lines(once, "ours = 1\n") == once
    assert without_lines(once) == text
    assert without_lines(with_lines(once, "ours = 2\n")) == text


def test_what_the_user_wrote_after_our_lines_stays() -> None:
    once = with_lines("a = 1\n", "ours = 1\n") + "[mine]\n"

    assert without_lines(once) == "a = 1\n[mine]\n"
    assert without_lines(f"a = 1\n{BEGIN}\nours\n{END}\n[mine]\n") == "a = 1\n[mine]\n"


@pytest.mark.parametrize("text", [BEGIN, END, f"{END}\n{BEGIN}\n", f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"])
def test_marks_that_are_not_one_of_each_in_order_are_refused(text: str) -> None:
    with pytest.raises(UneditableFileError, match="not one of each"):
        without_lines(text)
