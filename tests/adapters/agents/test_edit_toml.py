"""A table comes and goes as text, in any document; the parser proves that nothing else does."""

import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.agents.edit_toml import read_toml
from hardwon.adapters.agents.targets import TomlTarget
from hardwon.domain.model.errors import TakenNameError, UneditableFileError

OURS = '[servers.ours]\ncommand = "/opt/hardwon-mcp"\n'
MANAGED_PARTS = [
    OURS,
    f"{OURS}args = []\n# about the next\n",
    f"{OURS}# within\nnote = '''\n[servers.ours]\n[mine]\n# x'''\n\n",
    f"{OURS}\n[servers.ours.env]\nA = 1\n",
    ' [ servers . "ours" ] # ours\n"command" = "/b/hardwon-mcp"\nlists = [\n["servers"],\n[1]\n# x\n]\n',
    f"[servers.ours.env]\nA = 1\n{OURS}[[servers.ours.lists]]\nx = nan\n[[servers.ours.lists]]\n",
]
PARTS = [
    "# a comment\n",
    "\n",
    '[[lists]]\nx = [\n ["servers"],\n[1.5]\n]\n',
    "[[lists]]\n[lists.servers.ours]\ncommand = 1\n",
]
ONCE = [
    "[mine]\n\n# of mine\n",
    "[servers]\n",
    "[servers.other]\nargs = [ # x\n[1],\n]\n",
    '[servers.other.ours]\ncommand = "/x/hardwon-mcp"\n',
    "[servers.oursnot]\n",
    '["servers.ours"]\ncommand = "/opt/hardwon-mcp"\n',
    'text.of.mine = """\n[servers.ours]\ncommand = "/opt/hardwon-mcp"\n"""\n',
    "more.text = '''\n\n[x]\n# y'''  # z\n",
    "when = 2026-01-01T00:00:00Z\nrate = -nan\nbig = 1e999\n",
    'inline = {servers = {ours = {command = "hardwon-mcp"}}}\n',
]
others = st.lists(st.sampled_from([*PARTS, *PARTS, None]), max_size=5)
once = st.lists(st.sampled_from(ONCE), max_size=4, unique=True)
newlines = st.sampled_from(["\n", "\r\n"])


def target(command: str = "/opt/hardwon-mcp") -> TomlTarget:
    return TomlTarget(
        path="/h/config.toml", root="/h", place="servers", name="ours", command=command
    )


@st.composite
def documents(draw: st.DrawFn) -> list[str]:
    """Draw parts that are TOML together: keys without a table first."""
    parts = [*draw(once), *(part or "" for part in draw(others))]
    return sorted(draw(st.permutations(parts)), key=lambda part: not part[:1].isalpha())


def without_the_table(document: dict[str, Any]) -> dict[str, Any]:
    servers = {name: table for name, table in document.get("servers", {}).items() if name != "ours"}
    rest = {name: value for name, value in document.items() if name != "servers"}
    return {**rest, "servers": servers} if servers else rest


@given(documents(), newlines)
@example(["[servers]\n"], "\n")
def test_a_table_that_comes_and_goes_leaves_no_trace(parts: list[str], newline: str) -> None:
    text = "".join(parts).replace("\n", newline)
    after = target().with_managed(text)

    assert after.startswith(text)
    assert read_toml(after)["servers"]["ours"] == {"command": "/opt/hardwon-mcp"}
    assert without_the_table(read_toml(after)) == without_the_table(read_toml(text))
    assert target().with_managed(after) == after
    assert target().without_managed(after) == text
    assert target().without_managed(text) == text


@given(documents(), st.sampled_from(MANAGED_PARTS), st.integers(0, 9), newlines)
@example(["[mine]\n"], MANAGED_PARTS[3], 0, "\n")
def test_only_the_managed_table_is_removed_wherever_it_is(
    parts: list[str], ours: str, at: int, newline: str
) -> None:
    begins = min(at + sum(part[:1].isalpha() for part in parts), len(parts))
    text = "".join([*parts[:begins], ours, *parts[begins:]]).replace("\n", newline)
    after = target().without_managed(text)

    assert without_the_table(read_toml(after)) == without_the_table(read_toml(text))
    assert after.replace(newline, "").startswith("".join(parts[:begins]).replace("\n", ""))
    assert after.replace(newline, "").endswith("".join(parts[begins:]).replace("\n", ""))
    assert target().without_managed(after) == after


@given(documents(), st.sampled_from(MANAGED_PARTS[:4]), newlines)
def test_another_command_replaces_the_managed_one_and_all_else_stays(
    parts: list[str], ours: str, newline: str
) -> None:
    text = "".join([*parts, ours]).replace("\n", newline)
    start, end = text.rsplit('command = "/opt/hardwon-mcp"', 1)
    after = target("/new place/hardwon-mcp").with_managed(text)

    assert after == f'{start}command = "/new place/hardwon-mcp"{end}'
    assert target("/new place/hardwon-mcp").with_managed(after) == after


@pytest.mark.parametrize(
    "text",
    [
        '[servers.ours]\ncommand = "mine"\n',
        '[servers.ours]\nurl = "https://x"\n',
        '[[servers.ours]]\ncommand = "hardwon-mcp"\n',
        "servers = {ours = 1}\n",
        '[servers]\nours = {command = "mine"}\n',
    ],
)
def test_a_table_of_the_users_own_is_left_unchanged(text: str) -> None:
    with pytest.raises(TakenNameError, match="of your own"):
        target().with_managed(text)
    assert target().without_managed(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'servers.ours = {command = "/opt/hardwon-mcp"}\n',
        '[servers]\nours.command = "/opt/hardwon-mcp"\n',
        '[servers]\nours = {command = "/opt/hardwon-mcp"}\n',
        'servers = {ours = {command = "/opt/hardwon-mcp"}}\n',
        '[servers]\nours.command = "/opt/hardwon-mcp"\n[servers.ours.env]\nA = 1\n',
    ],
)
def test_the_program_in_the_users_own_form_is_left_and_reported(text: str) -> None:
    for change in (target().with_managed, target().without_managed):
        with pytest.raises(
            TakenNameError, match=r"a servers.ours of your own, without a table \[servers.ours\]"
        ):
            change(text)


@pytest.mark.parametrize(
    "text",
    [
        '"command" = "/b/hardwon-mcp"\n',
        'command = """\n/b/hardwon-mcp"""\n',
        "text = '''\ncommand = 1'''\n{}",
    ],
)
def test_a_command_that_is_not_found_as_text_is_refused(text: str) -> None:
    own = f"[servers.ours]\n{text}".format('command = "/b/hardwon-mcp"')

    with pytest.raises(
        UneditableFileError,
        match=r"\[servers.ours\] can't be changed without the rest: edit it by hand",
    ):
        target().with_managed(own)
    assert target().without_managed(own) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a =", "no TOML"),
        ("[x", "no TOML"),
        ("\0", "no TOML"),
        ("\ufeffa = 1", "no TOML"),
        ("a = " + "[" * 100_000, "no TOML"),
        (f"[{'a.' * 5000}a]", "no TOML"),
        (f"a = {'1' * 5000}", "no TOML"),
        (f"a = 0x{'f' * 5000}", "no TOML"),
        ("servers = {other = {}}\n", "servers is written as one value, which ours has to stand in"),
        ("servers = 1\n", "no object"),
    ],
)
def test_text_that_is_no_toml_or_would_become_invalid_is_refused(text: str, message: str) -> None:
    with pytest.raises(UneditableFileError, match=message):
        target().with_managed(text)


def test_the_text_to_add_by_hand_is_valid_toml() -> None:
    for text in (
        None,
        "{",
        "[servers]\n",
        "servers.ours.x = 1\n",
        '[servers.ours]\ncommand = "mine"\n',
    ):
        assert tomllib.loads(target().snippet(text)) == {
            "servers": {"ours": {"command": "/opt/hardwon-mcp"}}
        }


@pytest.mark.parametrize("text", ["servers = {{{}}}", "servers = {{ other = {{}}, {} }}"])
def test_within_a_table_in_braces_a_user_would_add_one_line(text: str) -> None:
    taken = text.format("ours = {command = 'mine'}")
    by_hand = target().snippet(taken)

    assert by_hand == 'ours = { command = "/opt/hardwon-mcp" }'
    assert tomllib.loads(text.format(by_hand))["servers"]["ours"] == {"command": "/opt/hardwon-mcp"}
