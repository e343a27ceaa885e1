"""A store that is not its user's alone is refused at every door in one line; a link of the user's own to the folder is not."""

import os
import pwd
from types import SimpleNamespace

import pytest

from tests.doors.doors import DOORS, Template
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


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("place", ["store", "./store", "~no-such-user/store", "'store'"])
def test_a_store_that_differs_in_each_working_folder_is_refused(
    template: Template, place: str, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(template.world.variables, "HARDWON_STORE", place)
    output = template.ask(door)
    name = place.strip("'")
    line = f"HARDWON_STORE is {name!r}, which is another folder in each working folder: give the"

    assert output.text.count("\n") == output.text.count("HARDWON_STORE") or door == "session start"
    assert line in output.text
    assert output.code == (0 if DOORS[door].program == "hardwon-hook" else 2)
    assert not (template.world.project / name).exists()
    assert ("## Engineering Memory" in output.text) == (door == "session start")


@pytest.mark.parametrize("door", ["session start", "writer", "MCP", "doctor"])
@pytest.mark.parametrize("unset", [True, False])
def test_an_empty_home_is_that_of_the_system(
    template: Template, door: str, monkeypatch: pytest.MonkeyPatch, *, unset: bool
) -> None:
    home = template.world.folder / "home of the system"
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_dir=str(home)))
    monkeypatch.delitem(template.world.variables, "HARDWON_STORE")
    if unset:
        monkeypatch.delitem(template.world.variables, "HOME")
    else:
        monkeypatch.setitem(template.world.variables, "HOME", "")
    output = template.ask(door)
    store = home / ".claude" / "iflow" / "memory"

    assert output.code == 0, output.text
    assert str(store) in output.text if door == "doctor" else (store / "memory.db").exists()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("home", ["", "relative"])
def test_without_any_home_the_store_has_to_be_named(
    template: Template, door: str, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    monkeypatch.delitem(template.world.variables, "HARDWON_STORE")
    monkeypatch.setitem(template.world.variables, "HOME", home)
    output = template.ask(door)

    assert "no home folder is known that could hold the store: set HOME, or HARD" in output.text
    assert output.code == (0 if DOORS[door].program == "hardwon-hook" else 2)
    assert not {"~", "relative"} & {path.name for path in template.world.project.iterdir()}


def assert_output(template: Template, state: str, file: str, door: str) -> None:
    wanted = expected(state, file, door)
    output = template.ask(door, file, state)

    assert "Traceback" not in output.text, output.text
    assert matches(wanted, *output), f"wanted {wanted}\ngot {output.code}:\n{output.text}"
