import pytest

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.folders import UNTRUSTED, Repositories
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visit

NOT_YOURS = "This repository is not yours yet: what is learned here is shown here only; hardwon trust changes that."


@pytest.fixture
def places(world_by_word: World, monkeypatch: pytest.MonkeyPatch) -> Repositories:
    places = Repositories(world_by_word).with_store()
    for name in ("GIT_CONFIG_GLOBAL", "HARDWON_EMBEDDING_PROVIDER"):
        monkeypatch.setenv(name, world_by_word.variables[name])
    return places


def facts(places: Repositories, label: str) -> tuple[object, ...]:
    [row] = places.world.query(
        "SELECT first_commit, authorship, root FROM project WHERE label = ?", (label,)
    )
    return row


def test_the_worker_looks_up_what_the_hook_had_no_time_for(places: Repositories) -> None:
    folder = places.make("app")
    places.start(folder)
    before = facts(places, "app")

    Worker(str(places.world.store), str(folder)).run()

    assert before[0] is None
    assert facts(places, "app")[0]


def test_the_worker_notices_that_a_repository_was_renamed(places: Repositories) -> None:
    folder = places.make("app", lesson="A lesson")
    places.start(folder)
    Worker(str(places.world.store), str(folder)).run()
    [(known,)] = places.world.query("SELECT id FROM project WHERE label = 'app'")

    renamed = folder.rename(places.folder("renamed"))
    places.start(renamed)
    Worker(str(places.world.store), str(renamed)).run()

    assert places.world.query("SELECT id, root FROM project WHERE label = 'renamed'") == [
        (known, str(renamed))
    ]
    assert places.world.query("SELECT id FROM project WHERE label = 'app'") == []


def test_the_worker_leaves_a_project_alone_whose_folder_is_gone(places: Repositories) -> None:
    folder = places.make("app", UNTRUSTED)
    places.start(folder)
    places.world.query("UPDATE project SET authorship = 'unknown'")
    folder.rename(places.folder("renamed"))

    Worker(str(places.world.store), str(places.world.project)).run()

    assert facts(places, "app")[:2] == (None, "unknown")


def test_a_lesson_stored_in_a_foreign_project_stays_there_and_the_answer_says_so(
    places: Repositories, visit: Visit
) -> None:
    places.world.project = places.make("strange", UNTRUSTED)

    stored = visit(places.world).store()

    assert stored["warnings"] == [NOT_YOURS]
    assert stored["message"].endswith(f"Warning: {NOT_YOURS}")


def test_a_lesson_stored_in_an_own_project_brings_no_such_line(
    places: Repositories, visit: Visit
) -> None:
    places.world.project = places.make("own")

    assert visit(places.world).store()["warnings"] == []


def test_an_agents_search_names_the_project_of_a_lesson_from_another_one(
    places: Repositories, visit: Visit
) -> None:
    billing, places.world.project = (
        places.make("billing", lesson="Rounding halves"),
        places.make("own"),
    )
    places.run(billing, "import")

    found = visit(places.world).answer(
        "memory_search", query="rounding halves", collection="learnings"
    )

    assert "   From: billing" in found["message"].splitlines()
    [row] = found["results"]
    assert row["origin"] == {"project": "billing", "door": "bank", "reach": "shared"}
