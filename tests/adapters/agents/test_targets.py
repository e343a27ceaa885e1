"""Changes to files are undone, whatever happened in between."""

import json

import pytest

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.table import GEMINI_CLI, Programs
from hardwon.adapters.agents.targets import JsonTarget, TomlTarget, WholeTarget
from hardwon.domain.use_cases.setup import SetUp, SetupOutcome, SetupPlan, UntouchedFile
from hardwon.ports.agents import SetupTarget
from tests.fakes.agents import InMemorySetupRecord, InMemoryUserFiles

HOME = "/home"
OWN = "there is a file of your own by that name: left as it is; rename it and run hardwon init again, to have ours too"
SETTINGS, CONFIG, WHOLE = "/home/a/settings.json", "/home/a/b/config.toml", "/home/c/ours.md"


def targets(version: str = "1") -> list[SetupTarget]:
    server = {"command": f"/{version}/hardwon-mcp"}
    return [
        JsonTarget(path=SETTINGS, root=HOME, place="servers", name="memory", server=server),
        TomlTarget(
            path=CONFIG,
            root=HOME,
            place="servers",
            name="memory",
            command=f"/{version}/hardwon-mcp",
        ),
        WholeTarget(path=WHOLE, root=HOME, text=f"ours {version}\n"),
    ]


class Machine:
    def __init__(self, texts: dict[str, str]) -> None:
        self.files = InMemoryUserFiles(texts)
        self.record = InMemorySetupRecord()
        self.set_up = SetUp(files=self.files, record=self.record)

    def write(self, version: str = "1") -> None:
        assert self.set_up.carry_out(self.set_up.plan(targets(version))).refused == ()

    def undo(self, version: str = "1") -> None:
        assert self.set_up.carry_out(self.set_up.plan((), targets(version))).refused == ()
        self.set_up.forget([HOME])
        assert self.record == InMemorySetupRecord()


ODD = {SETTINGS: "{ }", CONFIG: "a = 1"}
USUAL = {SETTINGS: '{\n\t"mine": [1,  2]\n}\n', CONFIG: "a = 1\n"}
FULL = {SETTINGS: '{"servers": {"mine": {"x": 1.50}}, "a": 1 }', CONFIG: "[servers.mine]\nx = 1\n"}


@pytest.mark.parametrize("texts", [{}, ODD, USUAL, FULL], ids=["none", "odd", "usual", "full"])
def test_files_and_folders_are_as_they_were_to_the_last_character(texts: dict[str, str]) -> None:
    machine = Machine(texts)
    folders = set(machine.files.folders)
    machine.write()

    assert machine.files.texts.keys() == {SETTINGS, CONFIG, WHOLE}
    assert machine.set_up.plan(targets()).steps == ()

    machine.undo()
    assert machine.files.texts == texts
    assert machine.files.folders == folders


@pytest.mark.parametrize("texts", [{}, ODD, USUAL, FULL], ids=["none", "odd", "usual", "full"])
def test_another_version_takes_the_place_of_the_earlier_one(texts: dict[str, str]) -> None:
    machine = Machine(texts)
    machine.write("1")
    machine.write("2")

    assert machine.files.texts[WHOLE] == "ours 2\n"
    assert '"/1/' not in machine.files.texts[SETTINGS]

    machine.undo("3")
    assert machine.files.texts == texts


def test_text_that_the_user_wrote_in_between_stays() -> None:
    machine = Machine({})
    machine.write()
    machine.files.texts[SETTINGS] = machine.files.texts[SETTINGS].replace("{", '{"mine": 1,', 1)
    machine.files.texts[CONFIG] += "[mine]\n"
    machine.files.texts[WHOLE] = "mine\n"
    plan = machine.set_up.plan(targets("2"))
    machine.set_up.carry_out(plan)

    assert plan.left == (UntouchedFile(WHOLE, "changed since hardwon wrote it: left as it is"),)

    machine.undo("2")
    assert machine.files.texts == {SETTINGS: '{"mine": 1\n}\n', CONFIG: "[mine]\n", WHOLE: "mine\n"}


def test_a_created_file_that_was_written_to_is_removed_when_only_managed_parts_are_left() -> None:
    machine = Machine({})
    machine.write()
    machine.files.texts[SETTINGS] = '{"servers":{"memory":{"command":"/1/hardwon-mcp"}}}'
    machine.undo()

    assert machine.files.texts == {}


def test_managed_parts_are_found_without_the_record() -> None:
    machine = Machine(USUAL)
    machine.write()
    for path in machine.record.paths():
        machine.record.drop(path)

    assert machine.set_up.plan(targets()).steps == ()
    machine.undo()
    assert machine.files.texts == USUAL


def test_a_file_that_cannot_be_edited_is_left_and_the_rest_is_done() -> None:
    machine = Machine({SETTINGS: "{} // mine", WHOLE: "mine"})
    machine.files.refused.add(CONFIG)
    plan = machine.set_up.plan(targets())

    assert plan.steps == ()
    assert [file.path for file in plan.refused] == [SETTINGS, CONFIG]
    assert all(file.reason.endswith("; add by hand:") for file in plan.refused)
    assert json.loads(plan.refused[0].by_hand) == {
        "servers": {"memory": {"command": "/1/hardwon-mcp"}}
    }
    assert plan.refused[1].by_hand == '[servers.memory]\ncommand = "/1/hardwon-mcp"'
    assert plan.left == (UntouchedFile(WHOLE, OWN),)


def test_the_users_own_server_is_left_and_the_managed_one_shown_beside_it() -> None:
    own = '{"servers": {"memory": {"mine": 1}}}'
    machine = Machine({SETTINGS: own})

    [left] = machine.set_up.plan(targets()).left
    assert (left.path, left.reason.endswith("of your own: left as it is; ours would be:")) == (
        SETTINGS,
        True,
    )
    assert json.loads(left.by_hand) == {"servers": {"memory": {"command": "/1/hardwon-mcp"}}}


def test_a_managed_file_that_cannot_be_written_asks_for_nothing_by_hand() -> None:
    machine = Machine({})
    machine.files.refused.add(WHOLE)

    assert machine.set_up.plan(targets()).refused == (UntouchedFile(WHOLE, "can't be used"),)


def test_a_file_that_refuses_to_be_written_is_reported_and_the_others_are_written() -> None:
    machine = Machine({})
    plan = machine.set_up.plan(targets())
    machine.files.refused.add(SETTINGS)

    assert machine.set_up.carry_out(plan) == SetupOutcome(
        changed=(CONFIG, WHOLE), refused=(UntouchedFile(SETTINGS, "can't be used"),)
    )
    assert machine.files.texts.keys() == {CONFIG, WHOLE}


def test_a_file_that_changed_since_it_was_shown_is_left_unchanged() -> None:
    machine = Machine({SETTINGS: "{}"})
    plan = machine.set_up.plan(targets())
    machine.files.texts[SETTINGS] = '{"mine": 1}'

    [refused] = machine.set_up.carry_out(plan).refused
    assert refused.reason == "it was changed meanwhile: run hardwon init again"
    assert machine.files.texts[SETTINGS] == '{"mine": 1}'


def test_a_managed_file_that_the_user_took_over_stays_and_is_reported() -> None:
    machine = Machine({})
    machine.write()
    machine.files.texts[WHOLE] = "mine\n"
    plan = machine.set_up.plan((), targets())

    assert plan.left == (UntouchedFile(WHOLE, "changed since hardwon wrote it: left as it is"),)
    machine.undo()
    assert machine.files.texts == {WHOLE: "mine\n"}


def test_a_schema_that_the_agent_added_to_a_managed_file_does_not_keep_it() -> None:
    machine = Machine({})
    machine.write()
    machine.files.texts[SETTINGS] = machine.files.texts[SETTINGS].replace(
        "{", '{"$schema": "x",', 1
    )
    machine.undo()

    assert machine.files.texts == {}


def test_a_read_only_file_is_refused_only_when_it_would_have_to_change() -> None:
    machine = Machine({})
    machine.write("1")
    machine.files.read_only |= {SETTINGS, CONFIG}

    assert machine.set_up.plan(targets("1")) == SetupPlan()
    reason = "read-only; nothing was taken out of it"
    assert machine.set_up.plan((), targets("1")).refused == (
        UntouchedFile(SETTINGS, reason),
        UntouchedFile(CONFIG, reason),
    )


def test_a_change_that_could_not_be_undone_stays_recorded_with_its_project_until_it_can() -> None:
    machine = Machine({})
    machine.record.add_project("/home/c")
    machine.write()
    settings, config, whole = targets()
    machine.set_up.carry_out(machine.set_up.plan((), [settings, config]))
    machine.set_up.forget(["/home/c"])

    assert (machine.record.paths(), machine.record.folders()) == ([WHOLE], ["/home/c"])
    assert machine.record.projects() == ["/home/c"]

    machine.set_up.carry_out(machine.set_up.plan((), [whole]))
    machine.set_up.forget(["/home/c"])
    assert machine.record == InMemorySetupRecord()


def test_beside_a_server_of_the_users_own_the_rest_is_brought_in_and_that_is_reported() -> None:
    own = '{"mcpServers": {"hardwon": {"command": "mine"}}}'
    [target] = ConfiguredAgent(
        GEMINI_CLI, HOME, {}, Programs("/opt/hardwon-hook", "/opt/hardwon-mcp"), {}
    ).targets()
    machine = Machine({target.path: own})
    plan = machine.set_up.plan([target])
    machine.set_up.carry_out(plan)

    [left] = plan.left
    assert left.reason == "'mcpServers' has a 'hardwon' of your own: left as it is; ours would be:"
    assert json.loads(left.by_hand) == {
        "mcpServers": {"hardwon": {"command": "/opt/hardwon-mcp", "args": []}}
    }
    document = json.loads(machine.files.texts[target.path])
    assert (document["mcpServers"], len(document["hooks"])) == (json.loads(own)["mcpServers"], 5)
    assert machine.set_up.plan([target]) == SetupPlan(left=plan.left)

    machine.set_up.carry_out(machine.set_up.plan((), [target]))
    assert machine.files.texts == {target.path: own}


def test_a_file_that_the_user_removed_is_no_longer_noted() -> None:
    machine = Machine({})
    machine.write()
    machine.files.texts.clear()
    machine.undo()

    assert machine.files.texts == {}
