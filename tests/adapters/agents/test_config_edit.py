"""Members of ours in JSON documents of the user's: hooks and servers."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.agents.config_edit import (
    our_commands,
    with_hooks,
    with_server,
    without_hooks,
    without_server,
)
from hardwon.domain.model.errors import TakenNameError, UneditableFileError

OURS = "/opt/hardwon-hook"
HOOK = {"type": "command", "command": OURS, "timeout": 5}
HOOKS = {event: [HOOK] for event in ("SessionStart", "Stop")}
SERVER = {"command": "hardwon-mcp", "args": list[str]()}
OLDER_SERVER = {"command": "/older/hardwon-mcp"}

anything: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, "x", [], {}, [{}], {"hooks": {}}, {"Stop": [{"hooks": []}]}]
)
names = st.sampled_from(["a", "b", "", "Hooks", "env"])
commands = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["mine", "theirs"])}
)
groups = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(commands, min_size=1, max_size=2)}, optional={"matcher": st.just("x")}
    ),
    min_size=1,
    max_size=2,
)
events = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "Other"]), groups, min_size=1)
documents = st.builds(
    lambda rest, known: {**rest, **known},
    st.dictionaries(names, anything, max_size=3),
    st.fixed_dictionaries(
        {}, optional={"hooks": events, "mcpServers": st.just({"playwright": {"command": "npx"}})}
    ),
)


@given(documents)
def test_hooks_put_in_and_taken_out_leave_the_document_as_it_was(document: dict[str, Any]) -> None:
    assert without_hooks(with_hooks(document, HOOKS)) == document


@given(documents)
def test_hooks_put_in_twice_are_there_once_and_all_of_the_users_survives(
    document: dict[str, Any],
) -> None:
    once = with_hooks(document, HOOKS)

    assert with_hooks(once, HOOKS) is once
    assert [json.dumps(once).count(json.dumps(hook)) for hook in HOOKS.values()] == [2, 2]
    assert {key: value for key, value in once.items() if key != "hooks"} == {
        key: value for key, value in document.items() if key != "hooks"
    }
    for event, users in document.get("hooks", {}).items():
        assert once["hooks"][event][: len(users)] == users


@given(documents)
def test_a_server_put_in_twice_and_taken_out_leaves_the_document_as_it_was(
    document: dict[str, Any],
) -> None:
    once = with_server(document, "mcpServers", "memory", SERVER)

    assert once["mcpServers"]["memory"] == SERVER
    assert with_server(once, "mcpServers", "memory", SERVER) == once
    assert without_server(once, "mcpServers", "memory") == document


def test_outdated_managed_hooks_are_replaced_wherever_they_are() -> None:
    older = {"type": "command", "command": OURS, "timeout": 1}
    mine = {"type": "command", "command": "mine"}
    document = {
        "hooks": {
            "Stop": [{"hooks": [mine, older]}, {"hooks": [older]}],
            "Gone": [{"hooks": [older]}],
        }
    }

    assert with_hooks(document, HOOKS) == {
        "hooks": {
            "Stop": [{"hooks": [mine]}, {"hooks": [HOOK]}],
            "SessionStart": [{"hooks": [HOOK]}],
        }
    }
    assert our_commands(document) == [OURS]


@pytest.mark.parametrize("hooks", [[], "x", 3, {"Stop": {}}, {"Stop": "x"}])
def test_hooks_not_made_of_groups_are_refused_and_never_lost(hooks: object) -> None:
    with pytest.raises(UneditableFileError, match=r"is no (object|list)"):
        with_hooks({"hooks": hooks}, HOOKS)
    assert without_hooks({"hooks": hooks}) == {"hooks": hooks}


@pytest.mark.parametrize(
    "group", [None, 1, [], {"hooks": {}}, {"hooks": [1, None, {"command": 3}]}, {}]
)
def test_groups_of_another_sort_stay(group: object) -> None:
    document = {"hooks": {"Stop": [group]}}

    assert without_hooks(with_hooks(document, HOOKS)) == document


def test_the_users_own_server_of_that_name_stays_and_an_older_managed_server_is_replaced() -> None:
    with pytest.raises(TakenNameError, match="'memory' of your own"):
        with_server({"mcpServers": {"memory": {"command": "mine"}}}, "mcpServers", "memory", SERVER)
    with pytest.raises(UneditableFileError, match="no object"):
        with_server({"mcpServers": []}, "mcpServers", "memory", SERVER)

    older = {"mcpServers": {"memory": OLDER_SERVER}}
    assert with_server(older, "mcpServers", "memory", SERVER) == {"mcpServers": {"memory": SERVER}}
    assert without_server({"mcpServers": {"memory": 1}}, "mcpServers", "memory") == {
        "mcpServers": {"memory": 1}
    }


def test_additions_to_the_managed_server_stay_and_its_command_is_updated() -> None:
    server = {
        "type": "local",
        "command": ["/new/hardwon-mcp"],
        "args": list[str](),
        "enabled": True,
    }
    users = {"command": ["/old/hardwon-mcp"], "enabled": False, "trust": True}
    document = {"mcp": {"memory": users, "mine": 1}}
    changed = with_server(document, "mcp", "memory", server)

    wanted = {
        "type": "local",
        "command": ["/new/hardwon-mcp"],
        "args": list[str](),
        "enabled": False,
        "trust": True,
    }
    assert changed == {"mcp": {"memory": wanted, "mine": 1}}
    assert with_server(changed, "mcp", "memory", server) is changed


def test_changes_to_a_managed_hook_stay_and_its_command_is_updated() -> None:
    users = {"type": "command", "command": OURS, "timeout": 30, "name": "mine"}
    document = {"hooks": {"Stop": [{"matcher": "x", "hooks": [users]}]}}
    changed = with_hooks(document, HOOKS)
    assert changed["hooks"] == {
        "Stop": [{"hooks": [users]}],
        "SessionStart": [{"hooks": [HOOK]}],
    }
    assert with_hooks(changed, HOOKS) is changed

    moved = {event: [{**HOOK, "command": "/moved/hardwon-hook"}] for event in HOOKS}
    [group] = with_hooks(changed, moved)["hooks"]["Stop"]
    assert group == {"hooks": [{**users, "command": "/moved/hardwon-hook"}]}


@pytest.mark.parametrize(("users", "kept"), [(2, 5), (5, 5), (30, 30), ("2", "2")])
def test_a_timeout_shorter_than_ours_is_raised_and_a_longer_one_stays(
    users: object, kept: object
) -> None:
    document = {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": OURS, "timeout": users}]}]}
    }
    changed = with_hooks(document, HOOKS)

    assert changed["hooks"]["Stop"][0]["hooks"][0]["timeout"] == kept
    assert with_hooks(changed, HOOKS) is changed
