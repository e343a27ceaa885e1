"""
A branch of others in a repository of the user's, beside another project of the user's: every door,
in both.

The branch has all that a hostile repository has, each text with a made-up word of its own
(`tests/attack/words.py`), and edits the user's own lesson and files. It is checked out, looked at
and deleted; another one is merged.
"""

import contextlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from hardwon.entrypoints.worker import Worker
from tests.adapters.providers.stub_server import running_stub
from tests.attack.doors import Output, leaks, words_of
from tests.attack.repository import git, push_hostile_branch
from tests.attack.scenario import Scene, make_honest_project, no_costs
from tests.attack.words import LEDGER, LESSONS, LURE_WORDS, MARKERS, PARSER

pytestmark = [pytest.mark.scene, pytest.mark.usefixtures("one_process")]

OF_THE_BRANCH = {
    place: word
    for place, word in MARKERS.items()
    if not place.startswith(("agent", "captured", "saved", "retro", "rem"))
}
"""The words of texts that files of the branch have."""
EDITED = LURE_WORDS["twin of the agent: reasoning"]
OWN_LESSON = LEDGER["lesson of the bank"]
EVERYTHING = ("list", "--scope", "global", "--in", "all", "--limit", "200", "--json")


class Story(NamedTuple):
    """
    The answers of doors, in the order of time.

    Attributes:
        answers: Those of the session start, `import` and `index` while the branch was checked out.
        here: Every door in the user's repository then.
        beside: Every door in the user's other project then.
        stored: The user's own lesson, as stored then.
        left: A few doors in both projects after the branch was deleted, the first one a prompt.
        everything: All that the store holds then.
        merged: Doors of lessons in the other project after such a branch was merged.
    """

    answers: Mapping[str, str]
    here: Sequence[Output]
    beside: Sequence[Output]
    stored: Mapping[str, Any]
    left: Sequence[Output]
    everything: str
    merged: Sequence[Output]


class Branch:
    """The user's two projects, in one folder."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.mine, self.other = scene.places.ledger, scene.places.clone
        for place, words in ((self.mine, LEDGER), (self.other, PARSER)):
            make_honest_project(place, words, scene.world.variables)
            self.look(place)

    def look(self, place: Path) -> dict[str, str]:
        """Let a session start, the files be indexed and imported by all doors, and the worker do its part."""
        world = self.scene.world
        world.project = place
        start = world.hook()
        answers = {"SessionStart": start.stdout + start.stderr}
        self.scene.doors.call("memory_index_scan")
        for command in (("index", "--embed"), ("import",)):
            ran = self.scene.run(*command, at=place)
            answers[command[0]] = ran.stdout + ran.stderr
        with mock.patch.dict(os.environ, world.variables, clear=True):
            Worker(str(world.store), str(place)).run()
        return answers

    def git(self, *arguments: str) -> None:
        git(self.mine, self.scene.world.variables, *arguments)

    def own_lesson(self) -> dict[str, Any]:
        listed = self.scene.run(*EVERYTHING, at=self.other)
        [found] = [
            item for item in json.loads(listed.stdout)["items"] if OWN_LESSON in item["description"]
        ]
        return dict(found)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("branch") / "machine"
    with pytest.MonkeyPatch.context() as patch, running_stub() as stub, no_costs():
        scene = Scene(folder, "outsider", patch, stub)
        with contextlib.closing(scene):
            branch = Branch(scene)
            push_hostile_branch(branch.mine, scene.world.variables, EDITED)
            answers = branch.look(branch.mine)
            here, beside, stored = (
                scene.doors.sweep(branch.mine),
                scene.doors.sweep(branch.other),
                branch.own_lesson(),
            )
            branch.git("checkout", "--quiet", "--force", "main")
            branch.git("branch", "-D", "pull-request")
            left = [*scene.doors.glance(branch.mine), *scene.doors.glance(branch.other)]
            everything = scene.run(*EVERYTHING, at=branch.mine).stdout
            push_hostile_branch(branch.mine, scene.world.variables, EDITED)
            branch.look(branch.mine)
            branch.git("checkout", "--quiet", "main")
            branch.git("merge", "--quiet", "--no-ff", "--no-edit", "pull-request")
            branch.look(branch.mine)
            return Story(
                answers, here, beside, stored, left, everything, scene.doors.lessons(branch.other)
            )


def assert_none(lines: Sequence[str]) -> None:
    assert not lines, "\n".join([f"{len(lines)} words:", *lines])


def test_a_branch_is_shown_in_its_project(story: Story) -> None:
    missing = {*OF_THE_BRANCH.values()} - words_of(story.here)

    assert not missing, [place for place, word in OF_THE_BRANCH.items() if word in missing]


def test_nothing_of_a_branch_is_shown_in_another_project(story: Story) -> None:
    assert_none(leaks(story.beside, OF_THE_BRANCH, LURE_WORDS))


def test_an_edit_of_the_users_own_lesson_changes_neither_its_text_nor_its_count(
    story: Story,
) -> None:
    assert EDITED not in story.stored["description"]
    assert story.stored["observation_count"] == 1
    assert story.stored["origin"]["reach"] == "shared"


def test_counts_of_a_branch_are_capped_at_home(story: Story) -> None:
    counts = re.findall(r"Observation count: (\d+)", "".join(item.text for item in story.here))

    assert max(map(int, counts)) == 100


@pytest.mark.parametrize("door", ["SessionStart", "index", "import"])
def test_a_line_says_what_stays_at_home_and_the_way_out(story: Story, door: str) -> None:
    [line] = [line for line in story.answers[door].splitlines() if "not yours yet" in line]

    assert "in this project only" in line
    assert "hardwon update ID --everywhere" in line


def test_when_the_branch_goes_so_does_what_it_brought(story: Story) -> None:
    assert_none(leaks(story.left, OF_THE_BRANCH, {"edited": EDITED}))
    assert not [place for place, word in OF_THE_BRANCH.items() if word in story.everything]


def test_the_users_own_memories_stay_when_a_branch_goes(story: Story) -> None:
    own = [
        LEDGER[place] for place in ("lesson of the bank", "decision", "session", "document", "rule")
    ]

    assert not [word for word in own if word not in story.everything]


def test_a_merged_branch_speaks_like_all_lessons(story: Story) -> None:
    banked = {MARKERS[place] for place in LESSONS if place.startswith("bank: ")}

    assert banked <= words_of(story.merged)
