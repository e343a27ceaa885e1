"""Every `BankFiles` gives the texts of all files, and writes those that differ."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters.markdown.bank_edit import MarkdownBanks
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace
from hardwon.ports.knowledge_bank import BankFiles
from tests.fakes.knowledge_bank import InMemoryBankFiles

OURS, USERS = BankPlace("local", "patterns"), BankPlace("global", "heuristics")


def markdown(folder: Path) -> BankFiles:
    (folder / "project").mkdir(parents=True)
    return MarkdownBankFiles(str(folder / "project"), str(folder / "store"))


IMPLEMENTATIONS: dict[str, Callable[[Path], BankFiles]] = {
    "markdown": markdown,
    "in memory": lambda _: InMemoryBankFiles(),
}


@pytest.fixture(params=[*IMPLEMENTATIONS])
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> BankFiles:
    return IMPLEMENTATIONS[request.param](tmp_path)


def test_there_is_a_text_for_every_file_there_or_not(bank: BankFiles) -> None:
    assert bank.banks().texts == dict.fromkeys(PLACES, "")


def test_differing_text_is_written_and_read_back_with_its_line_ends(bank: BankFiles) -> None:
    with bank.held() as banks:
        bank.write(MarkdownBanks({**banks.texts, OURS: "a\r\nb\r", USERS: "\ufeffç\n"}))

    assert bank.banks().texts == {**dict.fromkeys(PLACES, ""), OURS: "a\r\nb\r", USERS: "\ufeffç\n"}
