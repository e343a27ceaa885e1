"""Every state that a file can be in is called what it is by every door, with the way out; reading goes on where it can."""

import pytest

from tests.doors.doors import Template
from tests.doors.expected import AS_EVER, CELLS, FEWER_CELLS, HOOKS, Expected, expected, matches

Cell = tuple[str, str, str]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Return a world that is made new for each cell."""
    return Template(tmp_path_factory.mktemp("states"))


@pytest.mark.parametrize("door", AS_EVER)
def test_every_door_of_a_healthy_world_answers(template: Template, door: str) -> None:
    assert_output(template, ("", "", door), AS_EVER[door])


@pytest.mark.parametrize("cell", FEWER_CELLS, ids="-".join)
def test_a_file_in_any_state_gets_its_line_at_every_door(template: Template, cell: Cell) -> None:
    assert_output(template, cell, expected(*cell))


@pytest.mark.soak
@pytest.mark.parametrize("cell", CELLS, ids="-".join)
def test_a_process_answers_in_any_state(template: Template, cell: Cell) -> None:
    state, file, door = cell
    output = template.ask(door, file, state, in_process=False)

    assert "Traceback" not in output.text, output.text
    is_late = state == "locked" or "no answer in time" in output.text
    if (
        door not in HOOKS or not is_late
    ):  # what a hook still prints in its time depends on the machine
        assert matches(expected(*cell), *output), (
            f"{cell}: wanted {expected(*cell)}\ngot {output.code}:\n{output.text}"
        )


def assert_output(template: Template, cell: Cell, wanted: Expected) -> None:
    state, file, door = cell
    output = template.ask(door, file, state)

    assert "Traceback" not in output.text, output.text
    assert matches(wanted, *output), f"{cell}: wanted {wanted}\ngot {output.code}:\n{output.text}"
