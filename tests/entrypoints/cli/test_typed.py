"""Arguments typed after a slash command: options at the beginning and end, and a text."""

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.entrypoints.cli.typed import COMMANDS, Allowed, TypedArguments, parse, with_typed
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import WORKSPACE, memory
from tests.entrypoints.programs import hardwon, run

ALLOWED = Allowed(valued=frozenset({"--limit", "--type"}), switches=frozenset({"--verify"}))
NEVER = {
    "--global-store",
    "--project-root",
    "--json",
    "--policy",
    "--explain",
    "--prompt",
    "--no-embed",
    "--typed",
}

PARSED = {
    "nothing": ("", (), ""),
    "blanks": (" \n\t", (), ""),
    "a text": ("  why sqlite?\n", (), "why sqlite?"),
    "at the end": (
        "why sqlite --type decision --limit 1",
        ("--type=decision", "--limit=1"),
        "why sqlite",
    ),
    "at the beginning": ("--limit 1 --verify why sqlite", ("--limit=1", "--verify"), "why sqlite"),
    "at both": ("--limit=1 why --type=x", ("--limit=1", "--type=x"), "why"),
    "options alone": ("--limit 1 --type x --verify", ("--limit=1", "--type=x", "--verify"), ""),
    "a switch at the end": ("4e10 --verify", ("--verify",), "4e10"),
    "on lines of their own": (
        "--limit\n1\nwhy\n\nsqlite\n--type\nx",
        ("--limit=1", "--type=x"),
        "why\n\nsqlite",
    ),
    "in the middle": ("what does --type do in mypy", (), "what does --type do in mypy"),
    "in the middle, with a value": ("a --limit 3 b", (), "a --limit 3 b"),
    "of others": ("--json why --policy keyword", (), "--json why --policy keyword"),
    "of others, before one of ours": ("why --json --limit 1", ("--limit=1",), "why --json"),
    "in quotes": ('"what does --type mean"', (), '"what does --type mean"'),
    "at the end of quotes": (
        "'what does mypy do with --type'",
        (),
        "'what does mypy do with --type'",
    ),
    "quotes, then options": ('"why --type" --limit 1', ("--limit=1",), '"why --type"'),
    "a value in quotes": ("why --type \"x\" --limit='1'", ("--type=x", "--limit=1"), "why"),
    "after two hyphens": ("--limit 1 -- --type x --verify", ("--limit=1",), "--type x --verify"),
    "two hyphens later": ("a -- b --limit 1", ("--limit=1",), "a -- b"),
    "longer names": ("--limited 1 why --types x", (), "--limited 1 why --types x"),
    "shorter names": ("why --lim 1", (), "why --lim 1"),
    "a negative value": ("why --limit -1", ("--limit=-1",), "why"),
    "words of a shell": ("$(x) `y` ; --limit $(z)", ("--limit=$(z)",), "$(x) `y` ;"),
    "control characters": ("a\x00b\x1b[0m", (), "a\x00b\x1b[0m"),
}
NO_VALUE = [
    "--limit",
    "why --limit",
    "--limit --type x why",
    "why --limit --verify",
    "--type= why",
    'why --type=""',
    "a --limit=",
]

MISTAKES = {
    "no value": (
        "why sqlite --limit",
        "--limit wants a value; put a text that ends with --limit in quotes",
    ),
    "an unknown type": (
        "why sqlite --type note",
        "'note' is not in conversations: use decision, gotcha, preference, conver",
    ),
    "an unknown scope": (
        "--scope world why sqlite",
        "'world' is not one of 'project', 'workspace', 'global'",
    ),
    "no number": ("why sqlite --limit x", "'x' is not a valid int"),
    "no score": ("why sqlite --min-score nan", "nan is no number to compare scores with"),
    "an unknown collection": ("why sqlite --in notes", "'notes' is not one of 'all'"),
}


@pytest.mark.parametrize(("text", "options", "rest"), PARSED.values(), ids=PARSED)
def test_options_are_taken_at_both_ends_and_the_rest_is_text(
    text: str, options: tuple[str, ...], rest: str
) -> None:
    assert parse(text, ALLOWED) == TypedArguments(options, rest)


@pytest.mark.parametrize("text", NO_VALUE)
def test_an_option_without_its_value_is_a_mistake(text: str) -> None:
    with pytest.raises(
        InvalidQueryError,
        match=r"^--(limit|type) wants a value; put a text that ends with --\1 in quotes$",
    ):
        parse(text, ALLOWED)


OPTIONS = st.lists(st.sampled_from(["--limit=1", "--type=x", "--verify"]))
TEXTS = (
    st.text()
    .map(str.strip)
    .filter(lambda text: text and not any(word in text for word in ("--l", "--t", "--v", "--")))
)


@given(first=OPTIONS, text=TEXTS, last=OPTIONS)
def test_any_text_round_trips(first: list[str], text: str, last: list[str]) -> None:
    typed = parse(" ".join([*first, text, *last]), ALLOWED)

    assert typed == TypedArguments((*first, *last), text)


@given(text=st.text(alphabet="-=x \n\"'1") | st.text())
def test_no_text_makes_an_option_that_is_not_allowed(text: str) -> None:
    with contextlib.suppress(InvalidQueryError):
        typed = parse(text, ALLOWED)
        assert all(
            option.partition("=")[0] in ALLOWED.valued | ALLOWED.switches
            for option in typed.options
        )
        assert typed.text in text


def test_a_text_of_options_only_is_read_in_time() -> None:
    assert len(parse("--limit 1 " * 200_000, ALLOWED).options) == 200_000


def test_no_option_that_is_dangerous_can_be_typed() -> None:
    for allowed in COMMANDS.values():
        assert not (allowed.valued | allowed.switches) & NEVER


def test_typed_words_follow_the_options_of_the_file() -> None:
    arguments = with_typed(["recall", "--limit", "5", "--typed"], lambda: "why --limit 1\n")

    assert arguments == ["recall", "--limit", "5", "--typed", "--limit=1", "--", "why"]


@pytest.mark.parametrize(
    "arguments", [[], ["recall", "x"], ["recall", "--", "--typed"], ["list", "--typed"]]
)
def test_nothing_is_read_unless_a_command_asks_for_it(arguments: list[str]) -> None:
    assert with_typed(arguments, lambda: pytest.fail("it was read")) == arguments


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("typed") / "world", cleanup)
        world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
        world.remember(
            memory(
                "decision",
                "Sqlite",
                "We chose sqlite: größer is not better.",
                None,
                workspace=WORKSPACE,
            ).entry,
            memory("gotcha", "Locks", "sqlite has locks.", None, workspace=WORKSPACE).entry,
        )
        yield world


@pytest.mark.parametrize("command", COMMANDS)
def test_every_allowed_option_is_one_of_the_command(world: World, command: str) -> None:
    shown = hardwon(world, command, "--help").stdout

    assert "--typed" in shown
    assert all(
        f"  {option} " in shown for option in COMMANDS[command].valued | COMMANDS[command].switches
    )


@pytest.mark.parametrize(("typed", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line_that_names_it(world: World, typed: str, message: str) -> None:
    done = run(world, "hardwon", "recall", "--in", "conversations", "--typed", stdin=typed.encode())

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr


@pytest.mark.parametrize(
    "typed",
    [
        b"xyzzy",
        b"?",
        b"-",
        b"'",
        b"a\x00b sqlite",
        b"sqlite " * 15_000,
        b"x" * 100_000,
        b"\xf0\x9f\x94\x92",
        b"--",
        b"-- --json",
    ],
    ids=[
        "nonsense",
        "a letter",
        "a hyphen",
        "a quote",
        "NUL",
        "long",
        "a long word",
        "emoji",
        "hyphens",
        "no option",
    ],
)
@pytest.mark.parametrize("command", ["recall", "why"])
def test_any_typed_text_gets_an_answer_or_one_line(
    world: World, command: str, typed: bytes
) -> None:
    done = run(world, "hardwon", command, "--typed", stdin=typed)

    assert done.code in ({0} if command == "recall" else {0, 1})
    assert done.stderr.count("\n") in range(
        done.code, 2
    )  # of success, that words alone were searched
    assert len(done.stderr) < 1_000
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_bytes_that_are_no_text_are_refused_in_one_line(world: World, command: str) -> None:
    done = run(world, "hardwon", command, "--typed", stdin=b"sqlite \xff\xfe")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "the text is not UTF-8" in done.stderr


def test_a_text_is_the_same_text_in_a_locale_that_lacks_its_letters(world: World) -> None:
    typed = "größer\n".encode()
    usual = run(world, "hardwon", "recall", "--typed", stdin=typed)
    world.variables |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    try:
        bare = run(world, "hardwon", "recall", "--typed", stdin=typed, redirections="2>&1")
    finally:
        for name in ("LC_ALL", "PYTHONCOERCECLOCALE", "PYTHONUTF8"):
            del world.variables[name]

    assert "Sqlite" in usual.stdout
    assert (bare.code, "Sqlite" in bare.stdout) == (0, True)
