"""The promises of SECURITY.md are tested."""

import re
from pathlib import Path

from hardwon.adapters.folder import OWN_NAMES

ROOT = Path(__file__).parents[2]
POLICY = (ROOT / "SECURITY.md").read_text("utf-8")


def test_every_test_that_the_policy_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", POLICY)
    missing = [
        f"{path}::{name}"
        for path, name in named
        if f"def {name}(" not in (ROOT / path).read_text("utf-8")
    ]

    assert len(named) > 30
    assert missing == []


def test_every_defence_names_a_test() -> None:
    rows = [
        line
        for line in POLICY.splitlines()
        if line.startswith("| ") and not line.startswith("| ---")
    ]

    assert all("::test_" in row for row in rows[1:])


def test_every_file_of_the_store_is_named() -> None:
    assert [name for name in OWN_NAMES if f"`{name}" not in POLICY] == []
