"""The page of a store on a server."""

import contextlib
from pathlib import Path

import pytest

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.settings import ServerAddress
from tests.entrypoints.postgres.test_on_a_server import LESSON, add, on_server
from tests.entrypoints.view.caller import Caller, opened
from tests.postgres_server import member, url_of

pytestmark = pytest.mark.postgres

SLOTS = "Drop a replication slot (复制槽) that nothing reads."


@pytest.fixture
def caller(tmp_path: Path, cleanup: contextlib.ExitStack) -> Caller:
    url = url_of(cleanup.enter_context(member(f"of {tmp_path}")))
    world = on_server(tmp_path / "ann", url, cleanup)
    add(world)
    return opened(world, server=ServerAddress(url))


def test_a_list_on_a_server_is_sorted_searched_and_says_no(caller: Caller) -> None:
    caller.send("/new", description=SLOTS, name="A slot", category="patterns", keywords="disk")

    def names(query: str) -> list[str]:
        return [item["name"] for item in caller.items(f"/memory.json?{query}")]

    for sort in ("newest", "last changed", "name", "most shown", "most helpful"):
        assert names(f"sort={sort}") == ["A slot", "Pin images"]
    assert names("sort=oldest") == ["Pin images", "A slot"]
    for typed in ("replicat", "复制", "槽", "the+repl"):
        assert names(f"q={typed}")[0] == "A slot"
    assert "Nothing found for sourdough starter" in caller.text("/memory?q=sourdough+starter")


def test_an_entry_on_a_server_is_edited_once_of_two_tabs(caller: Caller) -> None:
    path = f"/entry/{content_hash(LESSON)}"
    seen = caller.field(f"{path}/edit", "seen")
    texts: dict[str, object] = {"description": LESSON, "reasoning": "", "keywords": "docker"}

    caller.send(f"{path}/edit", seen=seen, name="First", **texts)
    second = caller.post(f"{path}/edit", {"seen": seen, "name": "Second", **texts})

    assert "changed since the form was opened" in second.text
    assert 'value="Second"' in second.text
    page = caller.text(path)
    assert "First" in page
    assert "Name changed by hand just now Undo" in page
    assert "Keywords changed by hand: docker added just now Undo" in page
