import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.injection.neutral_text import FRAME_END, FRAME_START
from hardwon.domain.model.redaction import LONGEST_SECRET, REDACTED, Cleaning, as_text

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
CLEANING = Cleaning("/home/me/proj", "/home/me")
HOSTILE = 5_000

FRAGMENTS = [
    *(
        KEY,
        "AKIA",
        "password: correct-horse9",
        "<private>",
        "</private>",
        "<pri",
        "vate>",
        REDACTED,
    ),
    *(FRAME_START, FRAME_END, "<hardwon-memory", "<hardwon-", "memory>", "</hardwon-memory>"),
    *(
        "<system-reminder>",
        "</system-reminder>",
        "<hook_context>",
        "</hook_context>",
        "<sys",
        "tem-reminder>",
    ),
    *(
        "<local-command-stdout>",
        "</local-command-stdout>",
        "/home/me/proj",
        "/home/me",
        "/home/",
        "me",
        "/proj",
    ),
    *(
        "/",
        "//",
        "\\",
        "~",
        ".",
        "-",
        " ",
        "\n",
        "\r",
        "\0",
        "\u2028",
        "\ud800",
        "<",
        ">",
        '"',
        "file://",
        "x",
    ),
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"use {KEY} now", "use [REDACTED] now"),
        ("a <private>b</private> c", "a  c"),
        (f"Yes.\n{FRAME_START}- **A lesson**: of memory.\n{FRAME_END}Done.", "Yes.\n\n\nDone."),
        (f"cut off by the host: {FRAME_START}- **A lesson", "cut off by the host:"),
        ("<system-reminder>\nas of now\n</system-reminder>\nFix it.", "Fix it."),
        ("Fix it.\n<hook_context>more</hook_context>", "Fix it."),
        ("<user-prompt-submit-hook>more</user-prompt-submit-hook> Fix it.", "Fix it."),
        ("<local-command-stdout>Set model</local-command-stdout>", ""),
        ("a <hardwon-memories> b", "a <hardwon-memories> b"),
        ("if a < b and hook_context > c", "if a < b and hook_context > c"),
        (f"<pri<hook_context>x</hook_context>vate>{KEY}", "<pri\nvate>[REDACTED]"),
        ("a <sys<private></private>tem-reminder>x</system-reminder> b", "a \n b"),
    ],
)
def test_secrets_private_passages_and_what_was_injected_go(text: str, clean: str) -> None:
    assert CLEANING(text) == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/me/proj/src/a.py", "src/a.py"),
        ("see `/home/me/proj/src/a.py:12`, (/home/me/proj/b.py)", "see `src/a.py:12`, (b.py)"),
        ("cd /home/me/proj && make", "cd ./ && make"),
        ("ls /home/me/proj/ now", "ls ./ now"),
        ("It is in /home/me/proj.", "It is in ./."),
        ("/home/me/proj/.env", ".env"),
        ("/home/me/proj.git and /home/me/project", "~/proj.git and ~/project"),
        ("/home/me/notes.md and /home/me", "~/notes.md and ~"),
        ("PATH=/home/me/bin:/usr/bin", "PATH=~/bin:/usr/bin"),
        ("file:///home/me/proj/a.py", "file://a.py"),
        ("/srv/home/me/proj/a.py", "/srv/home/me/proj/a.py"),
        ("/home/mel/x and /home/me-too", "/home/mel/x and /home/me-too"),
    ],
)
def test_paths_of_this_machine_are_named_from_the_project_or_the_home(
    text: str, clean: str
) -> None:
    assert CLEANING(text) == clean


@pytest.mark.parametrize("folder", ["", "/", "//", "\\"])
def test_without_a_folder_no_path_changes(folder: str) -> None:
    assert Cleaning(folder, folder)("/home/me/a.py and /") == "/home/me/a.py and /"


def test_links_to_the_project_or_the_home_are_named_like_their_target() -> None:
    cleaning = Cleaning("/private/p", "/Users/me", ("/opt/p", "/opt/p/link"), ("/home/me",))

    assert cleaning(
        "/opt/p/src/a.py /opt/p/link/b.py /private/p/c.py /home/me/x /Users/me/y /opt/q"
    ) == ("src/a.py b.py c.py ~/x ~/y /opt/q")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("short", "short"),
        ("word " * 1_000, ("word " * 600).rstrip()),
        ("word\n" * 1_000, ("word\n" * 600).rstrip()),
        ("字" * 5_000, "字" * (3_000 - LONGEST_SECRET)),
        ("x" * 2_990 + f" {KEY}{KEY}", "x" * 2_990),
        ("字" * 2_990 + KEY, "字" * (3_000 - LONGEST_SECRET)),
        (
            "字" * (3_000 - LONGEST_SECRET - 30) + f"<{KEY}>" + "字" * 5_000,
            "字" * (3_000 - LONGEST_SECRET - 30) + "<[REDACTED]>" + "字" * 8,
        ),
    ],
    ids=[
        "short",
        "spaces",
        "lines",
        "without a space",
        "at a space",
        "half a secret",
        "a secret at the cut",
    ],
)
def test_the_beginning_of_a_long_text_is_kept_without_half_a_secret(text: str, kept: str) -> None:
    assert CLEANING.beginning(text, 3_000) == kept


def test_a_folder_is_no_pattern() -> None:
    assert Cleaning("/srv/a+b (1)", "/home/.*")("/srv/a+b (1)/x.py /srv/aab (1)/x.py /home/me") == (
        "x.py /srv/aab (1)/x.py /home/me"
    )


@given(text=texts)
@example("/home/me/proj//home/me/proj/x")
@example("<hardwon-memory<hook_context></hook_context>>x</hardwon-memory>")
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = CLEANING(text)

    assert CLEANING(once) == once == as_text(once)


@given(before=texts, after=texts, inside=st.text(st.characters(exclude_characters="<>")))
def test_injected_memory_is_ignored(before: str, after: str, inside: str) -> None:
    def around(text: str) -> str:
        return CLEANING(f"{before} {FRAME_START}{text}\n{FRAME_END} {after}")

    assert around(inside) == around("")


@given(text=texts.filter(lambda text: KEY not in text))
def test_no_secret_is_left(text: str) -> None:
    assert KEY not in CLEANING(f"{text} {KEY} {text}")


@pytest.mark.large
@pytest.mark.parametrize(
    "text",
    [
        "<pri" * HOSTILE + "<private></private>" + "vate></private>" * HOSTILE,
        "<sys" * HOSTILE
        + "<system-reminder></system-reminder>"
        + "tem-reminder></system-reminder>" * HOSTILE,
        "<system-reminder" * HOSTILE
        + "<hook_context></hook_context>"
        + "></system-reminder>" * HOSTILE,
        "<hardwon-memory " * HOSTILE,
        "<hardwon-memory>" * HOSTILE,
        "<local-command-" + "a" * HOSTILE * 20,
        "/home/me/proj/" * HOSTILE,
        "/home/me" * HOSTILE,
        "\r" * HOSTILE * 20,
        "file://" * HOSTILE,
    ],
    ids=lambda text: text[:16],
)
def test_long_texts_of_one_pattern_take_no_quadratic_time(text: str) -> None:
    assert "<private>" not in CLEANING(text)


@given(text=st.text(st.characters() | st.sampled_from("\r\n\0\x1c\u2029\ud800")))
def test_cleaned_text_round_trips_line_by_line(text: str) -> None:
    kept = as_text(text)

    assert kept.encode().decode() == kept == as_text(kept)
    assert kept.splitlines() == (kept.split("\n") if kept else [])
