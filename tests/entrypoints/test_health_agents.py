"""Health of the connection from an agent."""

import pytest

from hardwon.entrypoints.health import problem_of
from hardwon.ports.agents import Connection

PATH = "/bin/hardwon-hook"


@pytest.mark.parametrize(
    ("connection", "problem"),
    [
        (Connection(("~/x",)), ""),
        (Connection(("~/x",), (PATH,)), f"{PATH} is gone, ~/x names it: run hardwon init"),
        (
            Connection(("its plugin", "~/x"), (PATH,)),
            "hooks run twice, from its plugin and ~/x: hardwon init leaves them to the plugin",
        ),
    ],
    ids=["calls", "gone", "twice"],
)
def test_a_connection_works_when_it_is_one_and_its_program_is_there(
    connection: Connection, problem: str
) -> None:
    assert problem_of(connection) == problem
