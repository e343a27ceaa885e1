"""A store that is not its user's alone is refused at every door in one line; a link of the user's own to the folder is not."""

import os

import pytest

from tests.doors.doors import Template
from tests.doors.expected import AS_EVER, OTHERS, expected, matches

MINE = [
    ("linked", "memory.db"),
    ("open to all", "the store's folder"),
    ("linked", "the store's folder"),
]
needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="needs root, to give files to another user"
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Return a world that is made new for each cell."""
    return Template(tmp_path_factory.mktemp("others"))


@needs_root
@pytest.mark.parametrize("door", AS_EVER)
@pytest.mark.parametrize(("state", "file"), [(state, file) for state, file, _ in OTHERS])
def test_a_store_of_another_user_or_a_link_of_theirs_is_refused(
    template: Template, state: str, file: str, door: str
) -> None:
    assert_output(template, state, file, door)


@pytest.mark.parametrize("door", AS_EVER)
@pytest.mark.parametrize(("state", "file"), MINE)
def test_a_link_to_the_folder_is_followed_one_to_the_database_and_a_folder_of_all_are_refused(
    template: Template, state: str, file: str, door: str
) -> None:
    assert_output(template, state, file, door)


def assert_output(template: Template, state: str, file: str, door: str) -> None:
    wanted = expected(state, file, door)
    output = template.ask(door, file, state)

    assert "Traceback" not in output.text, output.text
    assert matches(wanted, *output), f"wanted {wanted}\ngot {output.code}:\n{output.text}"
