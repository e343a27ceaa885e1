import pytest

from tools.first_lines import first_lines

FOURTEEN = " ".join(["word"] * 14)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        (FOURTEEN, True),
        (f"{FOURTEEN} more", False),
        ("Return it; None for none.", False),
        ("Return it.", True),
    ],
)
def test_a_first_line_is_plain_up_to_fourteen_words_and_one_clause(
    text: str, *, is_plain: bool
) -> None:
    source = f'def act():\n    """{text}\n\n    {FOURTEEN} and more; as details may be.\n    """\n'

    (line,) = first_lines("a.py", source)

    assert (line.is_plain, line.number, line.text) == (is_plain, 2, text)


def test_docstrings_of_modules_classes_functions_and_constants_are_read() -> None:
    source = '"""Module."""\nclass A:\n    """Class."""\n    x = 1\n    """Field."""\nasync def f():\n    """Function."""\n    x = "text"\n'

    assert [line.text for line in first_lines("a.py", source)] == [
        "Module.",
        "Class.",
        "Field.",
        "Function.",
    ]
