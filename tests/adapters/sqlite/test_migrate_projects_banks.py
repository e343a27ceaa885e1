"""Learnings of version 6 go to the project whose knowledge bank they came from."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.migrate_projects import LARGEST_FILE, bank_at
from tests.adapters.sqlite.earlier_stores import EarlierStore, bank_text
from tests.adapters.sqlite.sqlite_store import opened

EVERYWHERE = (None, "everywhere", "global-bank")


class Banks:
    """A store of version 6 beside folders with knowledge banks."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder = folder
        self.store_folder = store
        self.store = EarlierStore(store, 6)
        self.own = store / "patterns.md"

    def of(self, project: str) -> Path:
        """Return the bank of a project."""
        return self.folder / project / "docs/knowledge-bank/patterns.md"

    def write(self, path: Path, *names: str, text: str = "") -> None:
        """Write a bank, and record its headings."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or bank_text(*names))
        self.store.imported(path, *(f"Pattern: {name}" for name in names))

    @contextlib.contextmanager
    def migrated(self) -> Iterator[SqliteDatabase]:
        """Open the store as it is today."""
        self.store.close()
        with opened(self.store_folder) as database:
            yield database

    def homes(self) -> dict[str, tuple[str | None, str, str | None]]:
        """Return the folder or key of the project, reach and door of the learnings, by name."""
        with self.migrated() as database:
            rows = database.rows(
                "SELECT t.name, coalesce(nullif(p.root, ''), p.key), e.reach, t.door FROM entry e"
                " JOIN entry_text t ON t.entry_seq = e.seq LEFT JOIN project p ON p.id = e.project"
            )
        return {
            name: (
                home and os.path.relpath(home, self.folder) if "/" in (home or "") else home,
                *rest,
            )
            for name, home, *rest in rows
        }

    def places(self) -> list[str]:
        """Return the folders where the only learning stands too."""
        with self.migrated() as database:
            rows = database.rows(
                "SELECT p.root FROM entry_place JOIN project p ON p.id = entry_place.project"
            )
        return [os.path.relpath(root, self.folder) for (root,) in rows]


@pytest.fixture
def banks(tmp_path: Path, folder: Path) -> Iterator[Banks]:
    banks = Banks(tmp_path / "src", folder)
    yield banks
    banks.store.connection.close()


def test_a_learning_goes_to_the_only_project_whose_bank_has_its_heading(banks: Banks) -> None:
    banks.store.imported(banks.of("acme/app"), "Pattern: Retry with `backoff`", "Pattern: Other")
    banks.store.imported(banks.of("globex/app"), "Anti-Pattern: Guess")
    banks.store.learning("Retry with backoff", label="app")
    banks.store.learning("Guess", label="app")

    assert banks.homes() == {
        "Retry with backoff": ("acme/app", "shared", "bank"),
        "Guess": ("globex/app", "shared", "bank"),
    }


def test_a_learning_of_the_users_own_bank_holds_everywhere(banks: Banks) -> None:
    banks.write(banks.own, "Mine")
    banks.store.imported(banks.of("acme/app"), "Pattern: Theirs")
    banks.store.learning("Mine")
    banks.store.learning("Theirs", label="app")

    assert banks.homes() == {"Mine": EVERYWHERE, "Theirs": ("acme/app", "shared", "bank")}


def test_a_learning_of_several_banks_has_one_project_and_the_others_as_places(banks: Banks) -> None:
    for project in ("globex/app", "acme/billing"):
        banks.write(banks.of(project), "Shared")
    banks.store.learning("Shared", label="app")

    assert banks.places() == ["acme/billing"]
    with opened(banks.store_folder) as database:
        [(root,)] = database.rows("SELECT p.root FROM entry e JOIN project p ON p.id = e.project")
    assert root == str(banks.folder / "globex/app")


def test_a_bank_with_the_same_heading_over_another_lesson_does_not_get_it(banks: Banks) -> None:
    banks.write(banks.of("acme/app"), "Retry", text="### Pattern: Retry\nIgnore all errors.\n")
    banks.write(banks.of("globex/app"), "Retry")
    banks.store.learning("Retry", label="app")

    assert banks.homes() == {"Retry": ("globex/app", "shared", "bank")}
    with opened(banks.store_folder) as database:
        assert database.rows("SELECT * FROM entry_place") == []


def test_a_lesson_of_a_project_is_not_the_users_own_as_his_bank_has_one_of_that_name(
    banks: Banks,
) -> None:
    banks.write(banks.own, "Retry", text="### Pattern: Retry\nWait a little longer each time.\n")
    banks.write(banks.of("acme/app"), "Retry")
    banks.store.learning("Retry", label="app")

    assert banks.homes() == {"Retry": ("acme/app", "shared", "bank")}


def test_a_lesson_that_the_users_own_bank_has_too_holds_everywhere(banks: Banks) -> None:
    banks.write(banks.own, "Retry")
    banks.write(banks.of("acme/app"), "Retry")
    banks.store.learning("Retry", label="app")

    assert banks.homes() == {"Retry": EVERYWHERE}


def test_where_the_files_are_gone_the_folder_it_was_imported_from_decides(banks: Banks) -> None:
    for project in ("acme/app", "acme/billing", "acme/other"):
        banks.store.imported(banks.of(project), "Pattern: Retry", "Pattern: Mine")
    banks.store.imported(banks.own, "Mine")
    banks.store.learning("Retry", label="billing")
    banks.store.learning("Mine")

    assert banks.homes() == {"Retry": ("acme/billing", "shared", "bank"), "Mine": EVERYWHERE}
    with opened(banks.store_folder) as database:
        rows = database.rows(
            "SELECT p.root FROM entry_place JOIN entry e ON e.seq = entry_seq JOIN project p ON p.id = entry_place.project WHERE e.project IS NOT NULL ORDER BY 1"
        )
    assert [os.path.basename(root) for (root,) in rows] == ["app", "other"]


def test_a_lesson_that_was_edited_in_all_banks_stays_where_it_was_imported_from(
    banks: Banks,
) -> None:
    for project in ("acme/app", "acme/billing"):
        banks.write(banks.of(project), "Retry", text="### Pattern: Retry\nSomething else now.\n")
    banks.store.learning("Retry", label="billing")

    assert banks.homes() == {"Retry": ("acme/billing", "shared", "bank")}


def test_an_imported_lesson_of_another_label_waits_unless_the_bank_has_its_text(
    banks: Banks,
) -> None:
    banks.store.imported(banks.of("acme/app"), "Pattern: Retry", "Pattern: Kept")
    banks.of("acme/app").parent.mkdir(parents=True)
    banks.of("acme/app").write_text(bank_text("Kept"))
    banks.store.learning("Retry", label="stranger")
    banks.store.learning("Kept", label="former")

    assert banks.homes() == {
        "Retry": ("label:stranger", "shared", None),
        "Kept": ("acme/app", "shared", "bank"),
    }


def test_a_lesson_of_an_agent_is_placed_by_the_text_in_a_bank_never_by_its_heading(
    banks: Banks,
) -> None:
    banks.write(banks.of("acme/app"), "Written", "Named", text=bank_text("Written"))
    banks.store.learning("Written", label="app", source="retro")
    banks.store.learning("Named", label="app", source="retro")

    assert banks.homes() == {
        "Written": ("acme/app", "shared", None),
        "Named": ("label:app", "shared", None),
    }


def test_a_lesson_without_a_heading_is_known_by_its_first_words(banks: Banks) -> None:
    banks.store.imported(banks.of("acme/app"), "")
    banks.store.learning(
        "one two three four five six seven eight",
        "one two three four five six seven eight nine",
        label="app",
    )
    banks.store.learning("Other", label="app")

    assert [home for home, *_ in banks.homes().values()] == ["acme/app", "label:app"]


def test_a_project_whose_name_is_no_utf_8_is_found_by_what_the_ledger_recorded(
    banks: Banks,
) -> None:
    root = os.fsencode(banks.folder) + b"/caf\xe9"
    os.makedirs(root + b"/docs/knowledge-bank")
    banks.store.imported(
        f"{banks.folder}/caf\\xe9/docs/knowledge-bank/patterns.md", "Pattern: Retry"
    )
    banks.store.learning("Retry", label="caf\ufffd")

    with banks.migrated() as database:
        [row] = database.rows(
            "SELECT p.root, p.label, p.authorship, p.inode != 0 FROM entry e JOIN project p ON p.id = e.project"
        )
    assert row == (f"{banks.folder}/caf\\xe9", "caf\\xe9", "own", True)


def test_a_bank_that_is_a_pipe_a_folder_or_too_long_blocks_nothing(banks: Banks) -> None:
    for number, project in enumerate(("acme/app", "globex/app", "other/app")):
        bank = banks.of(project)
        bank.parent.mkdir(parents=True)
        if number == 0:
            os.mkfifo(bank)
        elif number == 1:
            bank.mkdir()
        else:
            bank.write_text("x" * (LARGEST_FILE + 1))
        banks.store.imported(bank, "Pattern: Retry")
    banks.store.learning("Retry", label="app")

    assert banks.homes() == {"Retry": ("acme/app", "shared", "bank")}


@pytest.mark.parametrize(
    "path",
    [
        "docs/knowledge-bank/patterns.md",
        "/p/memory-index.sqlite",
        "/p/docs/knowledge-bank/x.md",
        "",
    ],
)
def test_other_files_of_the_ledger_are_no_banks(path: str) -> None:
    assert bank_at(path) is None


def test_a_bank_is_of_the_project_that_holds_its_folder_or_the_users_own() -> None:
    found = (
        bank_at(path)
        for path in (
            "/p/app/docs/knowledge-bank/patterns.md",
            "/docs/knowledge-bank/patterns.md",
            "/home/u/.hardwon/patterns.md",
        )
    )

    assert [bank and (bank.folder, bank.label) for bank in found] == [
        ("/p/app", "app"),
        ("/", "/"),
        (None, None),
    ]
