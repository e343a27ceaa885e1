"""`hardwon view` from its first line to its end."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.view import server
from hardwon.entrypoints.view.desk import DeskThread
from hardwon.entrypoints.view.guard import hosts_of
from hardwon.entrypoints.view.server import OpeningFile, View, listen
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.sessions import until
from tests.entrypoints.view.caller import Serving, serving
from tests.machine import LONGEST_WAIT
from tests.strategies import lesson


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
            first = browser.get(f"{page.base}memory")
        listening = (
            listeners_of(page.process.pid) if os.path.isdir("/proc/self/fd") else {"0100007F"}
        )
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


def test_it_ends_after_the_last_request_was_long_ago(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LOOK_SECONDS", 0.01)
    with listen(0) as listener:
        page = View(
            Settings(global_store=str(world.store)),
            str(world.project),
            listener,
            pytest.fail,
            idle_seconds=0.05,
        )

        assert page.serve()


def test_without_a_browser_the_address_is_there_to_be_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: False)

    assert server.open_browser("http://127.0.0.1:1/") is False


BROWSER = """#!{0}
import os, re, sys, urllib.error, urllib.parse, urllib.request
path = urllib.parse.unquote(urllib.parse.urlsplit(sys.argv[1]).path)
form = open(path, encoding="utf-8").read()
token = re.search('name="token" value="([^"]+)"', form)[1]
request = urllib.request.Request(
    re.search('action="([^"]+)"', form)[1], urllib.parse.urlencode({{"token": token}}).encode(), {{"Origin": "null"}}
)
print(sys.argv[1])
print(*(oct(os.stat(item).st_mode & 0o777) for item in (path, os.path.dirname(path))))
print(urllib.request.urlopen(request, timeout={1}).status)
try:
    urllib.request.urlopen(request, timeout={1})
except urllib.error.HTTPError as error:
    print(error.code, flush=True)
"""


def test_the_page_is_served_while_a_browser_of_the_terminal_runs(
    world: World, tmp_path: Path
) -> None:
    program = tmp_path / "browser"
    program.write_text(
        BROWSER.format(sys.executable, LONGEST_WAIT),
        encoding="utf-8",
    )
    program.chmod(0o755)
    command = [str(BIN / "hardwon"), "view"]
    environment = {**world.variables, "BROWSER": f"{program} %s", "TMPDIR": str(tmp_path)}

    with subprocess.Popen(
        command, cwd=world.project, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        address, _, argument, modes, first, second = (
            process.stdout.readline().strip() for _ in range(6)
        )
        until(lambda: not [*tmp_path.glob("hardwon-view-*")])
        process.terminate()

    token = address.partition("token=")[2]
    assert argument.startswith(f"file://{tmp_path}/hardwon-view-")
    assert token
    assert token not in argument
    assert (modes, first, second) == ("0o600 0o700", "200", "401")
    assert process.returncode == 0


def test_a_file_that_no_browser_opened_goes_after_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = OpeningFile("http://127.0.0.1:1/prefix/", "token")

    assert (file.is_old, Path(file.path).stat().st_mode & 0o777) == (False, 0o600)
    monkeypatch.setattr("hardwon.entrypoints.view.server.LASTS_SECONDS", 0.0)
    assert file.is_old
    file.remove()
    file.remove()
    assert [*tmp_path.iterdir()] == []


def test_it_serves_the_port_that_clients_do_not_name() -> None:
    assert hosts_of(80, ("127.0.0.1", "localhost")) == {
        "127.0.0.1:80",
        "127.0.0.1",
        "localhost:80",
        "localhost",
    }
    assert hosts_of(8080, ("127.0.0.1",)) == {"127.0.0.1:8080"}


def request(page: Serving, text: str) -> socket.socket:
    """Send the beginning of a request; leave the connection open."""
    address = urlsplit(page.address)
    connection = socket.create_connection((address.hostname, address.port), LONGEST_WAIT)
    connection.sendall(text.format(host=address.netloc, prefix=address.path).encode())
    return connection


HALF_SENT = (
    "GET {prefix} HTTP/1.1\r\nHost: {host}\r\n",
    "POST {prefix} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 900\r\n\r\ntoken",
    "POST {prefix} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ntok",
    "",
    "G",
)


def test_one_signal_ends_it_soon_whatever_is_open(world: World) -> None:
    with serving(world) as page, contextlib.ExitStack() as stack, httpx.Client() as browser:
        assert browser.get(page.address).status_code == 200  # and the connection stays open
        for text in HALF_SENT:
            stack.enter_context(contextlib.closing(request(page, text)))
        assert browser.get(page.base).status_code == 200
        page.process.send_signal(signal.SIGINT)
        _, stderr = page.process.communicate(timeout=LONGEST_WAIT)

    assert (page.process.returncode, stderr) == (0, "")


def test_work_on_the_store_is_not_waited_for_at_the_end(world: World) -> None:
    thread = DeskThread(Settings(global_store=str(world.store)), str(world.project), pytest.fail)
    begun, go_on = threading.Event(), threading.Event()

    def work(_: object) -> bool:
        begun.set()
        return go_on.wait(LONGEST_WAIT)

    working = threading.Thread(target=lambda: asyncio.run(thread.call(work)))
    working.start()

    assert begun.wait(LONGEST_WAIT)
    assert not thread.close(0.01)
    go_on.set()
    working.join()
