"""Whether the way an agent calls us works."""

import pytest

from hardwon.domain.model.formats.config_edit import Connection, judge

PATH = "/bin/hardwon-hook"


@pytest.mark.parametrize(
    ("connection", "missing", "verdict"),
    [
        (Connection(("~/x",), (PATH,)), (), (True, "hooks from ~/x")),
        (Connection(("its plugin",)), (), (True, "hooks from its plugin")),
        (Connection(("~/x",), ("a", PATH)), {PATH}, (False, f"{PATH} is gone, ~/x names it: run hardwon init")),
        (
            Connection(("its plugin", "~/x"), (PATH,)),
            {PATH},
            (False, "hooks run twice, from its plugin and ~/x: hardwon init leaves them to the plugin"),
        ),
    ],
    ids=["calls", "plugin", "gone", "twice"],
)
def test_a_connection_works_when_it_is_one_and_its_program_is_there(
    connection: Connection, missing: set[str], verdict: tuple[bool, str]
) -> None:
    assert judge(connection, missing) == verdict
