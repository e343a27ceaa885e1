import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.anchors import (
    ID_LENGTH,
    MAX_DEPTH,
    AnchorSection,
    extents,
    sections,
    without_markers,
)

ids = st.sampled_from(["a", "b", "c/d.e_f-1"])
begins = ids.map(lambda anchor_id: f"<!-- ANCHOR:{anchor_id} -->")
ends = ids.map(lambda anchor_id: f"<!-- /ANCHOR:{anchor_id} -->")
noise = st.sampled_from(
    ["<!--", "-->", "```\n", "\n", "~~~\n", "`", "<!-- ANCHOR:", "one", "two ", " "]
) | st.text(max_size=3)


def section_of(name: str, *inner: str) -> str:
    return f"<!-- ANCHOR:{name} -->{''.join(inner)}<!-- /ANCHOR:{name} -->"


def test_a_section_is_the_text_between_its_markers() -> None:
    body = "intro\n<!-- ANCHOR:oauth-callback -->\n## OAuth\n\ntext\n<!-- /ANCHOR:oauth-callback -->\nrest\n"

    assert sections(body) == ((AnchorSection("oauth-callback", "## OAuth\n\ntext"),), ())
    assert without_markers(body) == "intro\n\n## OAuth\n\ntext\n\nrest\n"


@pytest.mark.parametrize(
    "body",
    [
        "<!-- anchor:x -->text<!-- /anchor:x -->",
        "<!--ANCHOR:x-->text<!--/ANCHOR:x-->",
        "<!-- ANCHOR: x -->text<!-- /ANCHOR: x -->",
        "<!-- Anchor:x --> text <!-- /ANCHOR:x -->",
    ],
)
def test_markers_are_read_in_every_spelling(body: str) -> None:
    assert sections(body) == ((AnchorSection("x", "text"),), ())


def test_an_outer_section_holds_the_inner_ones() -> None:
    found = sections(section_of("outer", "one ", section_of("inner", "two"), " three"))

    assert found == ((AnchorSection("outer", "one two three"), AnchorSection("inner", "two")), ())


def test_ids_are_compared_as_they_are_written() -> None:
    assert [
        section.anchor_id for section in sections(section_of("a", "1") + section_of("A", "2")).found
    ] == ["a", "A"]


@pytest.mark.parametrize(
    ("body", "texts", "complaint"),
    [
        (
            "<!-- ANCHOR:a -->1<!-- ANCHOR:b -->2<!-- /ANCHOR:b -->3",
            {"a": "1", "b": "2"},
            "'a' is never closed",
        ),
        ("<!-- ANCHOR:a -->1\n\n2", {"a": "1\n\n2"}, "'a' is never closed"),
        (
            section_of("a", "1<!-- ANCHOR:b -->2") + "3",
            {"a": "12", "b": "2"},
            "'b' is never closed",
        ),
        (section_of("a", "1") + section_of("a", "2"), {"a": "1"}, "'a' stands there twice"),
        (section_of("a", "1", section_of("a", "2"), "3"), {"a": "123"}, "'a' stands there twice"),
        ("1<!-- /ANCHOR:a -->2", {}, "'a' is closed but not open"),
        (section_of("b c", "1"), {}, "'b c' is left out: write"),
        (section_of("", "1"), {}, "'' is left out: write"),
        (section_of("x" * (ID_LENGTH + 1), "1"), {}, "is left out: write"),
        (section_of("a", " \n "), {}, "'a' holds nothing"),
    ],
)
def test_a_wrong_marker_costs_only_itself_and_is_reported(
    body: str, texts: dict[str, str], complaint: str
) -> None:
    found = sections(body)

    assert {section.anchor_id: section.text for section in found.found} == texts
    assert complaint in found.complaints[0]


@pytest.mark.parametrize(
    "body",
    [
        f"```\n{section_of('a', 'x')}\n```\n",
        f"~~~ md\n{section_of('a', 'x')}\n",
        f"<!-- TODO:\n{section_of('a', 'x')}",
        "use `<!-- ANCHOR:a -->` and `<!-- /ANCHOR:a -->`",
        "<!-- SPECKIT_LEVEL: 2 -->",
    ],
)
def test_markers_in_code_and_comments_do_not_count(body: str) -> None:
    assert body.startswith("<!-- TODO") or sections(body) == ((), ())
    assert [section.anchor_id for section in sections(body).found] == []


def are_in_order(body: str, markers: list[str]) -> bool:
    """Return whether *markers* follow each other in *body*; copies of them in code or comments may come before."""
    position = 0
    for marker in markers:
        found = body.find(marker, position)
        if found < 0:
            return False
        position = found + len(marker)
    return True


@given(body=st.lists(begins | ends | noise, max_size=25).map("".join))
@example("<!--<!-- ANCHOR:b --><!-- ANCHOR:a -->1<!-- ANCHOR:b -->2")
@example("<!-- ANCHOR:a --><!-- ANCHOR:b -->1<!-- /ANCHOR:a -->2<!-- /ANCHOR:b -->")
def test_any_text_gives_each_id_once_in_order_with_words_of_the_text(body: str) -> None:
    found = sections(body)
    ids_found = [section.anchor_id for section in found.found]

    assert len(set(ids_found)) == len(ids_found)
    assert all(
        section.text == section.text.strip() != "" and section.text in without_markers(body)
        for section in found.found
    )
    assert are_in_order(body, [f"<!-- ANCHOR:{anchor_id} -->" for anchor_id in ids_found])
    assert len(found.complaints) <= 6
    assert all("\n" not in complaint for complaint in found.complaints)


@given(
    names=st.lists(ids, unique=True),
    texts=st.lists(st.sampled_from(["one", "two"]), min_size=3, max_size=3),
)
def test_sections_one_after_the_other_are_read_as_they_were_written(
    names: list[str], texts: list[str]
) -> None:
    written = tuple(map(AnchorSection, names, texts))

    assert sections("\n".join(section_of(*section) for section in written)) == (written, ())


def test_sections_lie_in_one_another_to_a_depth() -> None:
    body = "x"
    for number in reversed(range(MAX_DEPTH + 2)):
        body = section_of(str(number), body)

    found = sections(body)
    assert [section.anchor_id for section in found.found] == [
        str(number) for number in range(MAX_DEPTH)
    ]
    assert [line.split(" ", 3)[2] for line in found.complaints] == ["'8'", "'9'"]


MANY = 10_000


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("<!-- ANCHOR:a -->x" * MANY, 1),
        ("<!-- /ANCHOR:a -->x" * MANY, 0),
        ("".join(f"<!-- ANCHOR:{number} -->x" for number in range(MANY)), MANY),
        (
            "".join(f"<!-- ANCHOR:{number} -->x" for number in range(MANY // 2))
            + "".join(f"<!-- /ANCHOR:{number} -->x" for number in range(MANY // 2)),
            MAX_DEPTH,
        ),
        ("<!-- ANCHOR:" * MANY, 0),
        ("<!-- " + " " * 20 * MANY, 0),
        ("<!-- ANCHOR:a" + " " * 20 * MANY + "x", 0),
        ("```\n<!-- " * MANY, 0),
    ],
    ids=["repeated", "ends", "open", "nested", "cut", "blank", "blank-id", "fences"],
)
def test_hostile_text_takes_no_longer_than_any_other(body: str, count: int) -> None:
    found = sections(body)

    assert len(found.found) == count
    assert len(found.complaints) <= 6


@given(st.lists(begins | ends | noise, max_size=12).map("".join))
def test_the_text_in_the_extent_of_a_section_is_the_section(body: str) -> None:
    within = {section.anchor_id: body[section.start : section.stop] for section in extents(body)}

    assert {
        name: text for name, part in within.items() if (text := without_markers(part).strip())
    } == {section.anchor_id: section.text for section in sections(body).found}
