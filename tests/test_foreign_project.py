"""
A cloned repository that is made to hurt, beside two projects of the user's own: every door, in each
of them.

Each text holds a made-up word of its own (`tests/attack/words.py`); a door that shows it in the
wrong project leaks. The story is played twice: an outsider committed to the repository; then its
commits are forged, under `HARDWON_TRUST=ask`.
"""

import contextlib
import json
import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import pytest

from tests.adapters.providers.stub_server import running_stub
from tests.attack.doors import Output, leaks, of_agents, typed, words_of
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
    place_of,
)

pytestmark = [pytest.mark.scene, pytest.mark.usefixtures("one_process")]

AUTHORS: tuple[Authors, ...] = ("outsider", "forged")
ALL_DOORS = {
    *("SessionStart", "UserPromptSubmit"),
    *(
        f"hardwon {name}"
        for name in ("recall", "search", "list", "context", "why", "retro", "checkpoint")
    ),
    *("memory_search", "memory_list", "memory_match_triggers", "memory_load", "checkpoint_list"),
}
TITLE = "## Engineering Memory (from knowledge bank)"
MAX_COUNT = 100
FROM = re.compile(r"^- From: .*parser.*$", re.MULTILINE)
BESIDE, OF_ITS_NAME = "the project beside the clone", "the project that has the clone's name"


class Story(NamedTuple):
    """
    The answers in one scene, in the order of time.

    Attributes:
        before: Of all doors, after work in all projects, before any command on trust.
        figures: Of the figures, in the honest projects.
        twin: The user's own lesson whose text is in the clone too.
        requests: How many requests reached the provider that the clone names.
        remaining: Of a few doors beside the clone, after an agent deleted a spec folder of both in
            the clone.
        trusted: Of the doors of lessons, after `hardwon trust` in the clone.
        imported: Of a few doors beside the clone, after `hardwon import` in it.
        revoked: Of the doors of lessons, after `hardwon trust --revoke`.
    """

    scene: Scene
    before: Phase
    figures: list[Output]
    twin: dict[str, Any]
    requests: int
    remaining: list[Output]
    trusted: Phase
    imported: list[Output]
    revoked: Phase


@pytest.fixture(scope="module", params=AUTHORS)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("foreign") / "machine"
    with pytest.MonkeyPatch.context() as patch, running_stub() as stub, no_costs():
        scene = Scene(folder, request.param, patch, stub)
        with contextlib.closing(scene):
            ledger, parser, clone = scene.places
            scene.begin()
            before = scene.sweep()
            figures = [*scene.doors.figures(ledger), *scene.doors.figures(parser)]
            twin, requests = _twin(scene), len(stub.requests)
            scene.delete_spec_folder(clone)
            remaining = scene.doors.glance(ledger)
            scene.run("trust", at=clone)
            trusted = scene.sweep_lessons()
            scene.run("import", at=clone)
            imported = scene.doors.glance(ledger)
            scene.run("trust", "--revoke", at=clone)
            revoked = scene.sweep_lessons()._replace(ledger=scene.doors.glance(ledger))
            return Story(
                scene, before, figures, twin, requests, remaining, trusted, imported, revoked
            )


def _twin(scene: Scene) -> dict[str, Any]:
    listed = scene.run(
        "list", "--in", "learnings", "--limit", "100", "--json", at=scene.places.ledger
    )
    [found] = [item for item in json.loads(listed.stdout)["items"] if item["description"] == TWIN]
    return dict(found)


def assert_none(lines: Sequence[str], *, place: str) -> None:
    assert not lines, "\n".join([f"{len(lines)} words are shown in {place}:", *lines])


def assert_shown(words: Collection[str], outputs: Sequence[Output], *, place: str) -> None:
    missing = sorted({*words} - words_of(outputs), key=place_of)
    assert not missing, "\n".join(
        [f"{len(missing)} words are shown nowhere in {place}:", *map(place_of, missing)]
    )


def lines_with(name: str, answer: str) -> list[str]:
    """Return the lines of *answer* that name something; in the text of a JSON answer too."""
    return [line for line in re.split(r"\n|\\n", answer) if name in line]


def test_a_foreign_project_has_all_of_its_own_memory_at_home(story: Story) -> None:
    assert len(MARKERS) == 40
    assert_shown(MARKERS.values(), story.before.clone, place="the clone")


def test_every_door_is_opened_and_shows_the_memory_of_its_project(story: Story) -> None:
    for outputs, own in ((story.before.clone, MARKERS), (story.before.ledger, LEDGER)):
        opened = {
            item.door for item in outputs if item.words & {*own.values(), *LURE_WORDS.values()}
        }

        assert opened >= ALL_DOORS, f"no word of its own by {ALL_DOORS - opened}"


def test_nothing_of_a_foreign_project_is_shown_beside_it(story: Story) -> None:
    assert_none(leaks(story.before.ledger, MARKERS, LURE_WORDS), place=BESIDE)


def test_nothing_of_a_foreign_project_is_shown_in_the_project_of_its_name(story: Story) -> None:
    assert_none(leaks(story.before.parser, MARKERS, LURE_WORDS), place=OF_ITS_NAME)


def test_nothing_of_the_users_projects_is_shown_in_a_foreign_one(story: Story) -> None:
    outputs = of_agents(story.before.clone)

    assert_none(
        leaks(outputs, LEDGER, PARSER, except_for=["hard-linked gotcha"]), place="the clone"
    )


def test_no_agent_in_a_foreign_project_gets_a_figure_of_others(story: Story) -> None:
    shown = re.compile(r"elsewhere \(|in other projects:|[\"']elsewhere[\"']: [1-9]")

    assert not [item.door for item in of_agents(story.before.clone) if shown.search(item.text)]
    assert [item.door for item in of_agents(story.before.ledger) if shown.search(item.text)]


@pytest.mark.parametrize("place", ["ledger", "parser", "clone"])
def test_a_person_who_types_is_answered_from_all_projects_of_theirs(
    story: Story, place: str
) -> None:
    """The foreign project answers at home alone, and so do lessons for here; checkpoints and phrases are no answers."""
    outputs, left_out = typed(getattr(story.before, place)), {HERE, "checkpoint", "phrase"}
    for words in (LEDGER, PARSER):
        assert_shown(
            [word for kind, word in words.items() if kind not in left_out], outputs, place=place
        )


def test_a_hard_link_to_a_file_of_another_project_is_not_read_in_a_foreign_one(
    story: Story,
) -> None:
    hard_linked = {"hard-linked gotcha": LEDGER["hard-linked gotcha"]}

    assert_none(leaks(of_agents(story.before.clone), hard_linked), place="the clone")
    assert_shown(hard_linked.values(), story.before.ledger, place="the project of that file")


@pytest.mark.parametrize("place", ["ledger", "parser", "clone"])
def test_lessons_that_the_user_stored_for_everywhere_are_shown_everywhere(
    story: Story, place: str
) -> None:
    assert_shown(OF_THE_USER.values(), getattr(story.before, place), place=place)


def test_two_projects_of_the_user_share_lessons_and_nothing_else(story: Story) -> None:
    for outputs, theirs in ((story.before.ledger, PARSER), (story.before.parser, LEDGER)):
        assert_shown(
            [theirs[place] for place in SHARED], outputs, place="another project of the user's"
        )
        assert_none(
            leaks(of_agents(outputs), theirs, except_for=SHARED),
            place="another project of the user's",
        )


def test_a_lesson_for_here_is_shown_at_home_alone(story: Story) -> None:
    assert not story.scene.answers["--here in ledger"], story.scene.answers["--here in ledger"]
    assert_shown([LEDGER[HERE]], story.before.ledger, place="its project")
    assert_none(
        leaks([*story.before.parser, *story.before.clone], {HERE: LEDGER[HERE]}),
        place="other projects",
    )


def test_figures_name_nothing_of_a_foreign_project(story: Story) -> None:
    assert_none(
        leaks(story.figures, MARKERS, LURE_WORDS), place="the figures of the user's projects"
    )


def test_a_twin_changes_nothing_of_the_users_own_lesson(story: Story) -> None:
    expected = {
        "name": "Sum before rounding",
        "keywords": ["total", "rounded", "cents"],
        "references": ["feature 7"],
        "observation_count": 1,
    }
    kept = {name: story.twin[name] for name in expected}

    assert kept == expected, f"the user's lesson is now {kept}"


def test_observation_counts_of_a_foreign_project_are_capped(story: Story) -> None:
    counts = re.findall(
        r"Observation count: (\d+)", "".join(item.text for item in story.before.clone)
    )

    assert max(map(int, counts)) <= MAX_COUNT, f"up to {max(map(int, counts))}"


@pytest.mark.parametrize("answer", ["first session", "store_memory"])
def test_a_line_names_what_stays_at_home_and_the_command_that_changes_it(
    story: Story, answer: str
) -> None:
    assert lines_with("hardwon trust", story.scene.answers[answer]), f"no line on trust by {answer}"


def test_a_workspace_that_the_project_claims_is_refused_with_a_line(story: Story) -> None:
    assert lines_with("memory_workspace", story.scene.answers["first session"]), (
        "no line on memory_workspace"
    )


def test_the_provider_that_the_project_names_gets_no_request(story: Story) -> None:
    assert story.requests == 0, f"{story.requests} requests to the provider of the project's choice"
    lines = lines_with("memory_embedding_provider", story.scene.answers["first session"])
    assert lines, "no line on memory_embedding_provider"


def test_no_name_or_text_of_the_project_is_a_heading_of_the_block(story: Story) -> None:
    for item in story.before.clone:
        if item.door == "SessionStart":
            found = [
                line for line in _outside_of_fences(item.text) if re.match(r" {0,3}#{1,2} ", line)
            ]

            assert found == [TITLE], f"headings {found} by {item.door} {item.request}"
            assert item.text.count("</hardwon-memory>") == item.text.count("<hardwon-memory ")


def test_a_spec_folder_deleted_in_the_clone_stays_beside_it(story: Story) -> None:
    assert "Deleted" in story.scene.answers["memory_delete"], story.scene.answers["memory_delete"]
    assert_shown([LEDGER["document"]], story.remaining, place=BESIDE)


def test_trust_lets_its_lessons_be_shown_elsewhere_under_its_name(story: Story) -> None:
    assert story.scene.codes["trust"] == 0, story.scene.answers["trust"]
    for outputs, place in ((story.trusted.ledger, BESIDE), (story.trusted.parser, OF_ITS_NAME)):
        assert_shown([MARKERS[lesson] for lesson in LESSONS], outputs, place=place)
        starts = [item.text for item in outputs if item.door == "SessionStart"]
        assert all(FROM.search(text) for text in starts), f"no line '- From: ...parser' in {place}"


def test_an_index_brings_in_nothing_about_files_of_others(story: Story) -> None:
    assert story.scene.codes["import"] == 0, story.scene.answers["import"]
    index = {place: word for place, word in LURE_WORDS.items() if place.startswith("index:")}

    assert_none(leaks([*story.imported, *story.revoked.clone], index), place=BESIDE)
    assert_shown([LEDGER["decision"], LEDGER["document"]], story.imported, place=BESIDE)


def test_its_lessons_are_silent_again_once_trust_is_revoked(story: Story) -> None:
    assert story.scene.codes["trust --revoke"] == 0, story.scene.answers["trust --revoke"]
    assert_none(leaks(story.revoked.ledger, MARKERS, LURE_WORDS), place=BESIDE)
    assert_none(leaks(story.revoked.parser, MARKERS, LURE_WORDS), place=OF_ITS_NAME)
    assert_shown([MARKERS[lesson] for lesson in LESSONS], story.revoked.clone, place="the clone")


def _outside_of_fences(text: str) -> list[str]:
    """Return the lines of markdown outside of closed fences."""
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


@pytest.fixture(scope="module", params=["trusting", "asking"])
def pretences(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Pretence]:
    folder = tmp_path_factory.mktemp("forged") / "machine"
    with pytest.MonkeyPatch.context() as patch, running_stub() as stub, no_costs():
        scene = Scene(folder, "forged" if request.param == "asking" else "outsider", patch, stub)
        with contextlib.closing(scene):
            return scene.pretend()


@pytest.mark.parametrize("at", range(len(FORGERIES)), ids=FORGERIES)
def test_a_forged_git_folder_is_a_project_of_its_own(pretences: list[Pretence], at: int) -> None:
    """As a folder outside of repositories it is not foreign: its lessons are shown elsewhere, but where trust must be explicit."""
    forgery, asks, pretender, victim = pretences[at]

    assert_shown(PRETENDED[forgery].values(), pretender, place="the pretender")
    assert_none(
        leaks(of_agents(pretender), LEDGER, except_for=() if asks else SHARED),
        place="the pretender",
    )
    brought = () if asks else ("lesson of the bank",)
    shown = victim if asks else of_agents(victim)
    assert_none(
        leaks(shown, PRETENDED[forgery], except_for=brought),
        place="the project that it claims to be",
    )
