"""The figures of names and values, on small modules."""

import ast

from tools import signatures


def trees(*texts: str) -> list[ast.Module]:
    return [ast.parse(text) for text in texts]


def named_tuple(fields: int) -> str:
    return "class Wide(NamedTuple):\n" + "".join(f"    f{place}: int\n" for place in range(fields))


def test_a_named_tuple_of_seven_fields_is_too_wide_and_one_of_six_is_not() -> None:
    assert signatures.wide_tuples(trees(named_tuple(7), named_tuple(6))) == 1


def test_fields_of_other_classes_are_not_counted() -> None:
    assert signatures.wide_tuples(trees(named_tuple(7).replace("NamedTuple", "Protocol"))) == 0


def test_a_function_of_eight_parameters_is_too_wide_without_its_self() -> None:
    eight = "def f(self, a, b, c, d, /, e, f, *, g, h): ..."
    seven = "async def f(cls, a, b, c, d, e, f, g): ..."

    assert signatures.wide_functions(trees(eight, seven)) == 1


def test_a_fourth_positional_argument_is_counted_in_calls_of_our_own_functions_alone() -> None:
    ours = "def f(a, b, c, d): ...\ndef g(a, *more): ...\ndef h(a, b, c, *, d): ..."
    calls = "f(1, 2, 3, 4); f(1, 2, 3, d=4); g(1, 2, 3, 4); h(1, 2, 3, 4); os.path.join(1, 2, 3, 4)"

    assert signatures.positional_calls(trees(ours, calls)) == 1


def test_classes_are_called_with_their_fields_or_with_their_own_init() -> None:
    made = "class Made:\n    x: int\n    def __init__(self, a, b, c, d): ...\n"

    assert (
        signatures.positional_calls(
            trees(named_tuple(4), made, "Wide(1, 2, 3, 4); Made(1, 2, 3, 4)")
        )
        == 2
    )


def test_a_public_name_of_two_classes_is_counted_once() -> None:
    text = "class Answer: ...\nclass _Row: ..."

    assert signatures.shared_names(trees(text, text, "class Other: ...")) == 1
