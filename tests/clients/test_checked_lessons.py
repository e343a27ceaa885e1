"""Claude Code is told what became of a cited file; hardwon knows what came of the lesson."""

import pytest

from hardwon.entrypoints.worker import Worker
from tests.clients.conftest import CLAUDE_CODE, Set
from tests.clients.scripted_model import script
from tests.entrypoints.programs import hardwon

pytestmark = pytest.mark.clients

CAUSE = (
    "`ModuleNotFoundError: No module named 'quuxlib'`: the name in src/names.txt is the old one."
)
CHECK = "python3 check.py"
SOURCE = "name = open('src/names.txt').readlines()[1].strip()\nimport importlib\nimportlib.import_module(name)\n"


def test_a_changed_citation_is_told_and_the_outcome_is_known(
    desk: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    at = desk(CLAUDE_CODE)
    names = at.world.project / "src" / "names.txt"
    names.parent.mkdir()
    names.write_text("first\njson\nlast\n")
    (at.world.project / "check.py").write_text(SOURCE)
    kept = hardwon(at.world, "add", "Old name", CAUSE, "--reference", "src/names.txt:2")
    assert kept.code == 0
    names.write_text("first\nquuxlib\nlast\n")
    Worker(str(at.world.store), str(at.world.project)).run()

    mend = "sed -i s/quuxlib/json/ src/names.txt"
    calls = ([CLAUDE_CODE.run(command)] for command in (CHECK, mend, CHECK))
    requests = at.ask(script(*calls, words="Please run what is due."))
    failed = next(item for item in requests if len(item.results) == 1 and item.is_of_agent)

    assert CAUSE in failed.text
    assert "(src/names.txt changed since: check)" in failed.text
    assert "passed at the 1st try" in hardwon(at.world, "why").stdout
