"""`hardwon view` from its first line to its end."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.view import server
from hardwon.entrypoints.view.server import View, listen
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.view.serving import serving
from tests.strategies import lesson
from tests.waiting import LONGEST_WAIT


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.remember(lesson("A number without its unit is misread.", name="Name the unit"))
    return world_by_word


def listeners_of(process_id: int) -> set[str]:
    """Return the addresses on which a process listens, in hexadecimal, as Linux tells."""
    sockets = set[str]()
    for name in os.listdir(f"/proc/{process_id}/fd"):
        with contextlib.suppress(FileNotFoundError):  # it may be closed meanwhile
            target = os.readlink(f"/proc/{process_id}/fd/{name}")
            sockets |= {target[8:-1]} if target.startswith("socket:[") else set()
    found = set[str]()
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}", encoding="ascii") as lines:
            rows = [line.split() for line in lines][1:]
        found |= {row[1].partition(":")[0] for row in rows if row[9] in sockets and row[3] == "0A"}
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_serves_it_on_this_machine_alone_and_ends_with_a_signal(
    world: World, number: signal.Signals
) -> None:
    with serving(world, "--port", "0") as page:
        with httpx.Client() as browser:
            browser.get(page.address)
            first = browser.get(page.base)
        listening = listeners_of(page.process.pid) if os.path.isdir("/proc/self/fd") else {"0100007F"}
        page.process.send_signal(number)
        _, stderr = page.process.communicate(timeout=LONGEST_WAIT)

    assert (first.status_code, "Name the unit" in first.text) == (200, True)
    assert listening == {"0100007F"}
    assert (page.process.returncode, stderr) == (0, "")


def test_two_pages_are_served_at_once_on_ports_of_their_own(world: World) -> None:
    with serving(world) as one, serving(world) as other, httpx.Client() as browser:
        answers = [browser.get(page.address).status_code for page in (one, other, one)]

        assert (answers, one.base != other.base) == ([200, 200, 200], True)


def test_a_port_that_is_taken_is_said_and_another_one_asked_for(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run(world, "hardwon", "view", "--no-open", "--port", str(port))

    assert (ran.code, ran.stdout) == (1, "")
    assert f"{port} is taken" in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert hardwon(world, "view", "--port", "70000").code == 1


def test_it_ends_after_the_last_request_was_long_ago(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LOOK_SECONDS", 0.01)
    with listen(0) as listener:
        page = View(
            Settings(global_store=str(world.store)), str(world.project), listener, pytest.fail, idle_seconds=0.05
        )

        assert page.serve()


def test_without_a_browser_the_address_is_there_to_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: False)

    assert server.open_browser("http://127.0.0.1:1/") is False


def test_the_page_is_served_while_a_browser_of_the_terminal_runs(world: World, tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text(
        f"#!{sys.executable}\nimport sys, urllib.request\n"
        f"print('seen', urllib.request.urlopen(sys.argv[1], timeout={LONGEST_WAIT}).status, flush=True)\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    command, environment = [str(BIN / "hardwon"), "view"], {**world.variables, "BROWSER": f"{program} %s"}

    with subprocess.Popen(command, cwd=world.project, env=environment, stdout=subprocess.PIPE, text=True) as process:
        seen = [process.stdout.readline() for _ in range(3)] if process.stdout else []
        process.terminate()

    assert (seen[-1], process.returncode) == ("seen 200\n", 0)
