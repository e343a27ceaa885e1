"""Files that agents rewrote: the managed parts are found and removed, and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.table import AGENTS, CODEX, Programs
from hardwon.domain.use_cases.setup import SetUp
from hardwon.ports.agents import Agent, SetupTarget
from tests.fakes.agents import InMemorySetupRecord, InMemoryUserFiles

CONFIG = "/home/me/.codex/config.toml"
OURS = '[mcp_servers.hardwon]\ncommand = "/opt/hardwon-mcp"\n'
MARKETPLACE = '[marketplaces.mk]\nsource_type = "local"\nsource = "/mk"\n'
FOO = '[mcp_servers.foo]\ncommand = "echo"\nargs = ["hi"]\n'
TOOL = '[mcp_servers.hardwon.tools.recall]\napproval_mode = "approve"\n'
PLUGIN = '[plugins."hardwon@hardwon"]\nenabled = true\n'


def programs(folder: str = "/opt") -> Programs:
    return Programs(f"{folder}/hardwon-hook", f"{folder}/hardwon-mcp")


def config(folder: str = "/opt") -> SetupTarget:
    return ConfiguredAgent(CODEX, "/home/me", {}, programs(folder), {}).targets()[1]


class Machine:
    def __init__(self, texts: dict[str, str]) -> None:
        self.files = InMemoryUserFiles(texts)
        self.set_up = SetUp(files=self.files, record=InMemorySetupRecord())

    def write(self, targets: Any) -> None:
        assert self.set_up.carry_out(self.set_up.plan(targets)).refused == ()

    def undo(self, targets: Any) -> None:
        assert self.set_up.carry_out(self.set_up.plan((), targets)).refused == ()


@pytest.mark.parametrize(
    ("before", "codex_wrote", "left"),
    [
        ("", f"{OURS}\n{MARKETPLACE}", MARKETPLACE),
        ("", f"{OURS}\n{FOO}", FOO),
        ("", f"{OURS}\n{MARKETPLACE}\n{PLUGIN}", f"{MARKETPLACE}\n{PLUGIN}"),
        ("", f'model = "x"\n\n{OURS}', 'model = "x"\n'),
        ("", f"{OURS}enabled = false\n\n{TOOL}\n{MARKETPLACE}", MARKETPLACE),
        ("", f"{OURS}args = []\n", None),
        (
            'model = "x" # mine\n',
            f'model = "x" # mine\n\n{OURS}\n{FOO}',
            f'model = "x" # mine\n\n{FOO}',
        ),
        (f"{FOO}\n# mine\n", f"{FOO}\n{OURS}\n{MARKETPLACE}", f"{FOO}\n{MARKETPLACE}"),
    ],
)
def test_text_that_codex_wrote_beside_the_managed_table_stays(
    before: str, codex_wrote: str, left: str | None
) -> None:
    machine = Machine({CONFIG: before} if before else {})
    machine.write([config()])
    machine.files.texts[CONFIG] = codex_wrote

    assert machine.set_up.plan([config()]).steps == ()
    machine.write([config("/new")])
    assert machine.files.texts[CONFIG] == codex_wrote.replace("/opt/", "/new/")
    machine.undo([config()])
    assert machine.files.texts.get(CONFIG) == left


def test_the_managed_table_has_the_form_that_codex_itself_writes() -> None:
    assert (
        config().with_managed(None) == OURS
    )  # it drops an empty `args`, and then the file would no longer be as written


def test_a_server_in_the_codex_users_own_form_is_left_and_reported() -> None:
    own = 'mcp_servers.hardwon = {command = "/opt/hardwon-mcp"}\n'
    machine = Machine({CONFIG: own})
    wanted, unwanted = machine.set_up.plan([config()]), machine.set_up.plan((), [config()])

    assert (wanted.steps, unwanted.steps, wanted.refused, unwanted.refused) == ((), (), (), ())
    assert [file.path for file in (*wanted.left, *unwanted.left)] == [CONFIG, CONFIG]
    assert wanted.left[0].reason.endswith(": left as it is; ours would be:")
    assert [file.by_hand for file in (*wanted.left, *unwanted.left)] == [OURS.rstrip(), ""]


def rewritten(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=4)


def rewritten_sorted(document: dict[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def merged(document: dict[str, Any]) -> str:
    """Return the document with all hooks of an event in one group, with members of its own beside ours."""
    hooks = {
        event: [
            {"matcher": "", "hooks": [{"type": "command", "command": "mine"}, *groups[0]["hooks"]]}
        ]
        for event, groups in document.get("hooks", {}).items()
    }
    servers = {
        place: {"mine": {"command": "x"}, "hardwon": {**document[place]["hardwon"], "trust": True}}
        for place in ("mcpServers", "mcp")
        if place in document
    }
    return json.dumps(
        {"theme": "dark", **document, **({"hooks": hooks} if hooks else {}), **servers}
    )


BY_NAME: dict[str, Agent] = {
    facts.name: ConfiguredAgent(facts, "/home/me", {}, programs(), {}) for facts in AGENTS
}


@pytest.mark.parametrize("rewrite", [rewritten, rewritten_sorted, merged])
@pytest.mark.parametrize("agent", BY_NAME.values(), ids=BY_NAME)
def test_json_that_an_agent_rewrote_loses_all_managed_parts_and_no_more(
    agent: Agent, rewrite: Callable[[dict[str, Any]], str]
) -> None:
    target = agent.targets()[0]
    machine = Machine({})
    machine.write([target])
    machine.files.texts[target.path] = rewrite(json.loads(machine.files.texts[target.path]))
    machine.write([target])

    assert machine.files.texts[target.path].count("/opt/hardwon") == target.with_managed(
        None
    ).count("/opt/hardwon")
    machine.undo([target])
    left = machine.files.texts.get(target.path)
    assert "hardwon" not in str(left)
    assert (left is None) is (rewrite is not merged)
    assert ("mine" in str(left), "dark" in str(left)) == (rewrite is merged,) * 2
