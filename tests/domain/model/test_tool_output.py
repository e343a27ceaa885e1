"""Cleaning of outputs: each step is idempotent, and variables never stay."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.tool_output import MAX_OUTPUT, cleaned, normalised, shown

outputs = st.text(
    alphabet=st.sampled_from("\x1b[]0123456789;mK\r\n\b /\\.:%#=Eaerstwo-_'\"<>ü\u200b"),
    max_size=300,
) | st.text(max_size=300)

BEGINNINGS = st.sampled_from(
    "app-1  | ;db-1 |;[0] ;[web]:;web:build: ;@kiln/ui: ;libs/a test: ;libs/a test$ ;web: ;==> web: ;(run pid=3) ;"
    "12:01:02 web.1 | ;job\tstep\t2026-11-20T09:14:02.1Z ;2026-11-20T09:14:02.1Z 01E ;#9 0.1 ;"
    "Nov 27 12:01:02 host unit[3]: ;2026-11-20T09:14:02Z app[web.1]: ;  ;\t;error: ;at f:1 ;--- ;x;\n(2 rows)\n".split(
        ";"
    )
)
labelled = st.lists(st.lists(BEGINNINGS, max_size=4).map("".join), max_size=12).map("\n".join)


@given(outputs)
@example("\x1b\x1b[31m[0m")
@example("a\r\r\nb\rc")
def test_showing_twice_is_showing_once(output: str) -> None:
    assert shown(shown(output)) == shown(output)


@given(outputs | labelled)
@example("12:00:01 12:00:02 x")
def test_cleaning_twice_is_cleaning_once(output: str) -> None:
    once = cleaned(output)

    assert cleaned("\n".join(once)) == once


@given(outputs)
def test_a_normalised_line_is_normalised(output: str) -> None:
    once = normalised(output)

    assert normalised(once) == once


LINE = "{path}: error: worker {number} lost {address} of {host} in {temporary} ({digest}, {uuid})"


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "path": ["/srv/a/b.py:3", "src/b.py", r"C:\work\b.c(12)", "~/p/x.go:1:2", "b.py:17"],
        "number": ["7", "-3.5", "12,000", "1e-9", "+4"],
        "address": ["0x7f31", "0xDEADBEEF"],
        "host": ["10.0.0.7:5432", "127.0.0.1"],
        "temporary": ["tmpab12cd3_", "pytest-of-mia2"],
        "digest": ["1a2b3c4", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"],
        "uuid": ["0d2f5b1e-3f0c-6f3c-9b3d-0a1b2c3d4e5f"],
    }.items(),
)
def test_a_variable_does_not_change_a_signature(name: str, values: list[str]) -> None:
    usual = {
        "path": "src/x.py",
        "number": "1",
        "address": "0x1",
        "host": "10.0.0.1",
        "temporary": "tmpzz11yy2_",
        "digest": "7a2b3c4",
        "uuid": "00000000-3f0c-6f3c-9b3d-0a1b2c3d4e5f",
    }

    assert {normalised(LINE.format(**usual | {name: value})) for value in values} == {
        normalised(LINE.format(**usual))
    }


@pytest.mark.parametrize(
    ("line", "normal"),
    [
        ("Cannot find module '@kiln/settle'", "Cannot find module '@kiln/settle'"),
        ("Missing: @kiln/settle@1.2.0 from lock file", "Missing: @kiln/settle@<n> from lock file"),
        ("Cannot find module 'node_modules/@kiln/settle'", "Cannot find module '<path>'"),
        ("Cannot find module '/srv/@kiln/settle'", "Cannot find module '<path>'"),
    ],
)
def test_the_name_of_a_scoped_package_is_no_path(line: str, normal: str) -> None:
    assert normalised(line) == normal


@pytest.mark.large
def test_a_long_output_is_cut_in_the_middle() -> None:
    output = f"first\n{'x' * 10 * MAX_OUTPUT}\nlast error"

    assert len(shown(output)) <= MAX_OUTPUT + 1
    assert cleaned(output)[-1] == "last error"


@pytest.mark.parametrize("part", [": ", "/a", "E ", "1", "[", "'", "a1", "\x1b[", "a\r"])
def test_one_line_of_megabytes_is_read(part: str) -> None:
    for line in cleaned(part * 2_000_000):
        assert normalised(normalised(line)) == normalised(line)


@pytest.mark.parametrize("part", ["[0] ", "a:b: ", "a | ", "a: ", "#1 1.1 [0] ", "(a ", "a/"])
def test_labels_in_labels_are_taken_out_at_once(part: str) -> None:
    lines = cleaned(f"{part * (480 // len(part))}x\n" * 80)

    assert cleaned("\n".join(lines)) == lines


@pytest.mark.parametrize(
    "line",
    [
        "=== 3 passed in 0.1s ===",
        " 45% |####      | 3/7 [00:01<00:02]",
        "Downloading numpy-2.0.whl (18 MB)",
        "   Compiling serde v1.0.1",
        "-- Detecting C compiler ABI info - done",
        "tests/a.py::test_b PASSED",
        "npm notice new version",
        "... [12034 characters truncated] ...",
        "Exit code 1",
        "----------",
    ],
)
def test_lines_that_say_nothing_are_dropped(line: str) -> None:
    assert cleaned(f"{line}\nkept\n") == ("kept",)


TABLE = """\
 status | quarter | total
--------+---------+-------
 open   | q1      |    12
 open   | q4      |     9
 open   | q2      |     7
 closed | q3      |     3
 closed | q5      |     4
(5 rows)
"""


@pytest.mark.parametrize("label", ["", "db-1   | "])
def test_the_first_column_of_a_table_is_no_label(label: str) -> None:
    logs = "app-1  | ready\napp-1  | stopped\n" if label else ""

    assert cleaned(logs + "".join(f"{label}{line}\n" for line in TABLE.splitlines())) == (
        *(("ready", "stopped") if label else ()),
        "status | quarter | total",
        "open   | q1      |    12",
        "open   | q4      |     9",
        "open   | q2      |     7",
        "closed | q3      |     3",
        "closed | q5      |     4",
        "(5 rows)",
    )
