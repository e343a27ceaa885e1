"""
A cloned repository that is made to hurt, beside two projects of the user's own: who hears what, through every door.

Each text holds a made-up word of its own (`tests/attack/words.py`); a door that tells one in the wrong project leaks.
The story is played twice: the repository has a stranger's commits; then it has forged ones, under `HARDWON_TRUST=ask`.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from tests.adapters.providers.stub_server import running_stub
from tests.attack.doors import Heard, leaks, words_of
from tests.attack.repository import TWIN, Authors
from tests.attack.scenario import Phase, Pretence, Scene, no_costs
from tests.attack.words import (
    FORGERIES,
    HERE,
    LEDGER,
    LESSONS,
    LURE_WORDS,
    MARKERS,
    OF_THE_USER,
    PARSER,
    PRETENDED,
    SHARED,
)

AUTHORS: tuple[Authors, ...] = ("stranger", "forged")
ALL_DOORS = {
    *("SessionStart", "UserPromptSubmit"),
    *(f"hardwon {name}" for name in ("recall", "search", "list", "context", "why", "retro", "checkpoint")),
    *("memory_search", "memory_list", "memory_match_triggers", "memory_load", "checkpoint_list"),
}
HEADINGS = {
    "## Engineering Memory (from knowledge bank)",
    *("### Constitutional Memories", "### Anti-Patterns to Avoid", "### Heuristics", "### Patterns to Follow"),
    "### Related Conversations",
}
MOST_OBSERVED = 100
FROM = re.compile(r"^- From: .*parser.*$", re.MULTILINE)


class Story(NamedTuple):
    """
    What came of one scene.

    Attributes:
        before: What was heard when the user had worked in all projects, without a word on trust.
        figures: What the figures said in the honest projects at that time.
        twin: The user's own lesson whose text stands in the clone too, at that time.
        requests: How many requests the provider got that the clone named.
        trusted: What was heard of lessons after `hardwon trust` in the clone.
        imported: What was heard beside the clone after `hardwon import` there.
        revoked: What was heard after `hardwon trust --revoke`.
        remaining: What is left beside the clone after its agent deleted a spec folder of that name.
    """

    scene: Scene
    before: Phase
    figures: list[Heard]
    twin: dict[str, Any]
    requests: int
    trusted: Phase
    imported: list[Heard]
    revoked: Phase
    remaining: list[Heard]


@pytest.fixture(scope="module", params=AUTHORS)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("foreign") / "machine"
    with pytest.MonkeyPatch.context() as patch, running_stub() as stub, no_costs():
        scene = Scene(folder, request.param, patch, stub)
        with contextlib.closing(scene):
            ledger, parser, clone = scene.places
            scene.begin()
            before = scene.hear()
            figures = [*scene.doors.figures(ledger), *scene.doors.figures(parser)]
            twin, requests = _twin(scene), len(stub.requests)
            scene.run("trust", at=clone)
            trusted = scene.hear_lessons()
            scene.run("import", at=clone)
            imported = scene.doors.glance(ledger)
            scene.run("trust", "--revoke", at=clone)
            revoked = scene.hear_lessons()._replace(ledger=scene.doors.glance(ledger))
            scene.delete_spec_folder(clone)
            remaining = scene.doors.glance(ledger)
            yield Story(scene, before, figures, twin, requests, trusted, imported, revoked, remaining)


def _twin(scene: Scene) -> dict[str, Any]:
    listed = scene.run("list", "--in", "learnings", "--limit", "100", "--json", at=scene.places.ledger)
    [found] = [item for item in json.loads(listed.stdout)["items"] if item["description"] == TWIN]
    return dict(found)


def assert_none(lines: Sequence[str], *, in_: str) -> None:
    assert not lines, "\n".join([f"{len(lines)} words are heard in {in_}:", *lines])


def test_at_home_a_foreign_project_hears_all_of_its_own_memory(story: Story) -> None:
    heard = words_of(story.before.clone)

    assert len(MARKERS) == 40
    assert [place for place, word in MARKERS.items() if word not in heard] == []


def test_every_door_was_opened_and_tells_something_in_the_project_where_it_was_said(story: Story) -> None:
    for heard, own in ((story.before.clone, MARKERS), (story.before.ledger, LEDGER)):
        opened = {item.door for item in heard if item.words & {*own.values(), *LURE_WORDS.values()}}

        assert ALL_DOORS - opened == set()


def test_nothing_of_a_foreign_project_is_heard_beside_it(story: Story) -> None:
    assert_none(leaks(story.before.ledger, MARKERS, LURE_WORDS), in_="the project beside the clone")


def test_nothing_of_a_foreign_project_is_heard_in_the_project_that_has_its_name(story: Story) -> None:
    assert_none(leaks(story.before.parser, MARKERS, LURE_WORDS), in_="the project of the clone's name")


def test_nothing_of_the_users_projects_is_heard_in_a_foreign_one(story: Story) -> None:
    heard = story.before.clone

    assert_none(leaks(heard, LEDGER, PARSER, except_for=["hard-linked gotcha"]), in_="the clone")


def test_a_hard_link_to_a_file_of_another_project_is_not_read_in_a_foreign_one(story: Story) -> None:
    hard_linked = {"hard-linked gotcha": LEDGER["hard-linked gotcha"]}

    assert_none(leaks(story.before.clone, hard_linked), in_="the clone")
    assert words_of(story.before.ledger) >= {*hard_linked.values()}


@pytest.mark.parametrize("place", ["ledger", "parser", "clone"])
def test_what_the_user_stored_for_everywhere_is_heard_everywhere(story: Story, place: str) -> None:
    assert words_of(getattr(story.before, place)) >= {*OF_THE_USER.values()}


def test_two_projects_of_the_user_share_lessons_and_nothing_else(story: Story) -> None:
    for heard, theirs in ((story.before.ledger, PARSER), (story.before.parser, LEDGER)):
        assert words_of(heard) >= {theirs[place] for place in SHARED}
        assert_none(leaks(heard, theirs, except_for=SHARED), in_="another project of the user's")


def test_a_lesson_for_here_is_heard_at_home_alone(story: Story) -> None:
    assert LEDGER[HERE] in words_of(story.before.ledger), story.scene.answers["--here in ledger"]
    assert LEDGER[HERE] not in words_of([*story.before.parser, *story.before.clone])


def test_figures_name_nothing_of_a_foreign_project(story: Story) -> None:
    assert_none(leaks(story.figures, MARKERS, LURE_WORDS), in_="the figures of the user's projects")


def test_a_twin_changes_nothing_of_the_users_own_lesson(story: Story) -> None:
    kept = {name: story.twin[name] for name in ("name", "observation_count", "keywords", "references")}

    expected = {"name": "Sum before rounding", "keywords": ["total", "rounded", "cents"], "observation_count": 1}
    assert kept == {**expected, "references": ["src/a.py"]}


def test_observation_counts_of_a_foreign_project_are_capped(story: Story) -> None:
    counts = re.findall(r"Observation count: (\d+)", "".join(item.text for item in story.before.clone))

    assert max(map(int, counts)) <= MOST_OBSERVED


@pytest.mark.parametrize("said", ["first session", "store_memory"])
def test_what_stays_at_home_is_said_in_one_line_with_the_command_that_changes_it(story: Story, said: str) -> None:
    lines = [line for line in re.split(r"\n|\\n", story.scene.answers[said]) if "hardwon trust" in line]

    assert lines, story.scene.answers[said]


def test_a_workspace_that_the_project_claims_is_refused_with_a_line(story: Story) -> None:
    lines = [line for line in story.scene.answers["first session"].splitlines() if "memory_workspace" in line]

    assert lines, story.scene.answers["first session"]


def test_the_provider_that_the_project_names_is_not_asked(story: Story) -> None:
    lines = [line for line in story.scene.answers["first session"].splitlines() if "memory_embedding_provider" in line]

    assert story.requests == 0
    assert lines, story.scene.answers["first session"]


def test_no_name_of_the_project_is_a_heading_of_the_block(story: Story) -> None:
    for item in story.before.clone:
        if item.door == "SessionStart":
            frame = [line for line in _outside_of_fences(item.text) if re.match(r" {0,3}#{1,2} ", line)]

            assert frame == ["## Engineering Memory (from knowledge bank)"]
            assert item.text.count("</hardwon-memory>") == item.text.count("<hardwon-memory ")


def test_trust_lets_its_lessons_speak_elsewhere_under_its_name(story: Story) -> None:
    assert story.scene.codes["trust"] == 0, story.scene.answers["trust"]
    for heard in (story.trusted.ledger, story.trusted.parser):
        assert words_of(heard) >= {MARKERS[place] for place in LESSONS}
        starts = [item.text for item in heard if item.door == "SessionStart"]
        assert all(FROM.search(text) for text in starts), starts[0]


def test_an_index_brings_in_nothing_about_files_of_others(story: Story) -> None:
    assert story.scene.codes["import"] == 0, story.scene.answers["import"]
    index = {place: word for place, word in LURE_WORDS.items() if place.startswith("index:")}

    assert_none(leaks([*story.imported, *story.revoked.clone], index), in_="the project beside the clone")
    assert LEDGER["decision"] in words_of(story.imported)


def test_revoking_trust_silences_it_again(story: Story) -> None:
    assert story.scene.codes["trust --revoke"] == 0, story.scene.answers["trust --revoke"]
    assert_none(leaks(story.revoked.ledger, MARKERS, LURE_WORDS), in_="the project beside the clone")
    assert_none(leaks(story.revoked.parser, MARKERS, LURE_WORDS), in_="the project of the clone's name")
    assert words_of(story.revoked.clone) >= {MARKERS[place] for place in LESSONS}


def test_deleting_a_spec_folder_of_the_clone_leaves_that_of_its_neighbour(story: Story) -> None:
    assert "Deleted" in story.scene.answers["memory_delete"]
    assert LEDGER["document"] in words_of(story.remaining)


def _outside_of_fences(text: str) -> list[str]:
    """Return the lines of markdown that stand in no closed fence."""
    lines, kept, opened = text.splitlines(), list[str](), list[str]()
    for line in lines:
        is_fence = bool(re.match(r" {0,3}(```|~~~)", line))
        if is_fence and opened:
            opened = []
        elif is_fence or opened:
            opened.append(line)
        else:
            kept.append(line)
    return [*kept, *opened[1:]]


@pytest.fixture(scope="module", params=["trust as usual", "asking"])
def pretences(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Pretence]]:
    folder = tmp_path_factory.mktemp("forged") / "machine"
    with pytest.MonkeyPatch.context() as patch, running_stub() as stub, no_costs():
        scene = Scene(folder, "forged" if request.param == "asking" else "stranger", patch, stub)
        with contextlib.closing(scene):
            yield scene.pretend()


@pytest.mark.parametrize("at", range(len(FORGERIES)), ids=FORGERIES)
def test_a_forged_git_folder_is_a_project_of_its_own(pretences: list[Pretence], at: int) -> None:
    """What is no repository is not foreign: its lessons may speak, unless nothing is trusted that was not said to be."""
    forgery, asks, pretender, victim = pretences[at]

    assert words_of(pretender) >= {*PRETENDED[forgery].values()}
    assert_none(leaks(pretender, LEDGER, except_for=() if asks else SHARED), in_="the pretender")
    brought = () if asks else ("lesson of the bank",)
    assert_none(leaks(victim, PRETENDED[forgery], except_for=brought), in_="the project that it claims to be")
