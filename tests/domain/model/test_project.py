"""Labels of earlier versions find the project that they mean, where it is certain."""

from typing import Any

import pytest

from hardwon.domain.model.project import WAITING, Identity, Project, Registry


def labelled(name: str, label: str = "app", **fields: Any) -> Project:
    return Project(name, label, Identity(f"/{name}", f"/{name}"), **{"authorship": "own", **fields})


WAITS = Project("waits", "app", Identity(f"{WAITING}app", ""), authorship="foreign")


@pytest.mark.parametrize(
    ("projects", "adopted"),
    [
        ([], None),
        ([labelled("one")], "one"),
        ([labelled("one"), labelled("foreign", authorship="foreign")], "one"),
        ([labelled("other", "web"), labelled("one", authorship="foreign", trust="trusted")], "one"),
        ([labelled("one"), labelled("clone", joined="one")], "one"),
        ([labelled("one"), labelled("two")], None),
        ([labelled("one"), labelled("not asked yet", authorship="unknown")], None),
        ([labelled("foreign", authorship="foreign")], None),
        ([labelled("revoked", trust="revoked")], None),
        ([labelled("other", "web")], None),
    ],
)
def test_entries_under_a_label_go_to_the_one_own_project_of_that_label(
    projects: list[Project], adopted: str | None
) -> None:
    found = Registry((WAITS, *projects)).adoptions()

    assert [(waiting.id, project.id) for waiting, project in found] == (
        [("waits", adopted)] if adopted else []
    )
    assert Registry((WAITS._replace(trust="revoked"), *projects)).adoptions() == []
    assert Registry((WAITS, *projects), mode="ask").adoptions() == [
        pair for pair in found if pair[1].trust == "trusted"
    ]


def test_entries_that_wait_answer_a_person_and_foreign_ones_do_not() -> None:
    projects = (WAITS, labelled("foreign", authorship="foreign"), labelled("here"))
    registry = Registry((*projects, WAITS._replace(id="taken back", trust="revoked")))

    for here in projects[1:]:
        unasked = registry.visibility(here)
        asked = unasked.for_person()
        others = {"foreign", "taken back"} - {here.id}

        assert not unasked.admits("waits", "shared")
        assert asked.admits("waits", "shared")
        assert not asked.admits("waits", "home")
        assert not [project for project in others if asked.admits(project, "shared")]
