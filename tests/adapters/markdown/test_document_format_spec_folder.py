import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document_format import spec_folder, topic, written_at

parts = st.sampled_from(["specs", "memory", "005-memory", "app", "x.md"])


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/app/specs/005-memory/memory/01-02-26_10-20__topic.md", "005-memory"),
        ("/app/specs/049-auth/memory/deep/er/x.md", "049-auth"),
        ("/specs/one/memory/specs/two/memory/x.md", "two"),
        ("/app/specs/one/memory/two/memory/x.md", "one"),
        ("/app/specs/one/two/memory/x.md", "two"),
        ("/app/memory/x.md", "app"),
        ("/app/memory/decisions/x.md", "app"),
        ("/app/specs/one/spec.md", "one"),
        ("/app/specs/memory/x.md", "specs"),
        ("/memory/x.md", "memory"),
        ("/x.md", "x"),
        ("x.md", "x"),
    ],
)
def test_a_file_belongs_to_the_folder_that_holds_its_memory(path: str, folder: str) -> None:
    assert spec_folder(path) == folder


@given(folders=st.lists(parts, max_size=6), start=st.sampled_from(["/", ""]))
@example(folders=["specs", "memory"], start="/")
def test_a_spec_folder_is_never_empty_and_a_part_of_the_path(
    folders: list[str], start: str
) -> None:
    folder = spec_folder(start + "/".join([*folders, "x.md"]))

    assert folder in {*folders, "x"}
    assert folder != "x" or not folders


@given(written=st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2068, 12, 31)))  # noqa: DTZ001  # names tell no zone
def test_the_timestamp_in_a_name_is_read(written: dt.datetime) -> None:
    name = f"{written:%d-%m-%y_%H-%M}__oauth-callback_flow.md"

    assert written_at(name) == written.replace(second=0, microsecond=0)
    assert topic(name) == "oauth callback flow"


@pytest.mark.parametrize(
    "name",
    [
        "31-02-26_10-20__x.md",
        "01-13-26_10-20__x.md",
        "01-02-26_24-00__x.md",
        "00-00-00_00-00__x.md",
    ],
)
def test_an_impossible_date_is_none_but_the_topic_stays(name: str) -> None:
    assert (written_at(name), topic(name)) == (None, "x")


@pytest.mark.parametrize(
    "name",
    [
        "notes.md",
        "01-02-26_10-20_x.md",
        "01-02-26_10-20__.md",
        "\u0661\u0661-02-26_10-20__x.md",
        "",
    ],
)
def test_another_sort_of_name_has_no_timestamp(name: str) -> None:
    assert (written_at(name), topic(name)) == (None, None)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("memory-20260212-134206.md", (2026, 2, 12, 13, 42, 6)),
        ("memory-20260212-134206-2.md", (2026, 2, 12, 13, 42, 6)),
        ("2026-02-12-oauth-callback.md", (2026, 2, 12)),
        ("2026-02-12.md", (2026, 2, 12)),
        ("2026-02-12.markdown", (2026, 2, 12)),
        ("20260212_1342_oauth.md", (2026, 2, 12, 13, 42)),
        ("2026-02-12T13-42-06-oauth.md", (2026, 2, 12, 13, 42, 6)),
        ("2026-02-12-12-factor-app.md", (2026, 2, 12)),
        ("2026_02_12_oauth.md", (2026, 2, 12)),
        ("2026.02.12 oauth.md", (2026, 2, 12)),
        ("session_2026-02-12_1342.md", (2026, 2, 12, 13, 42)),
        ("2026.02-12.md", None),
        ("2026-02-30-oauth.md", None),
        ("202602121-oauth.md", None),
        ("oauth-2026-02-12.md", None),
        ("2026-02-12-oauth.txt", None),
    ],
)
def test_other_names_that_begin_with_a_date_tell_it(
    name: str, written: tuple[int, ...] | None
) -> None:
    assert written_at(name) == (written and dt.datetime(*written))  # type: ignore[arg-type]  # noqa: DTZ001


def test_a_topic_without_words_is_none() -> None:
    assert topic("01-02-26_10-20__--_.md") is None
