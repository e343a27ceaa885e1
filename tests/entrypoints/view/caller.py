"""A browser without a screen, and `hardwon view` as a process."""

import contextlib
import re
import subprocess
from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple

from httpx2 import Response
from starlette.testclient import TestClient

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.view.desk import DeskThread
from hardwon.entrypoints.view.guard import Guard
from hardwon.entrypoints.view.site import Site
from tests.entrypoints.hook_process import BIN, World
from tests.machine import LONGEST_WAIT

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"


class Caller:
    """
    The page of a world's store, asked without a network.

    Args:
        world: The store and the project.
        settings: Those of the store, where a test needs others.
    """

    def __init__(self, world: World, **settings: Any) -> None:
        self.guard = Guard(frozenset({HOST}))
        self.warnings = list[str]()
        self.thread = DeskThread(
            Settings(global_store=str(world.store), **settings),
            str(world.project),
            self.warnings.append,
        )
        self.thread.open()
        app = Site(self.guard, self.thread, str(world.store)).app()
        self.client = TestClient(
            app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False
        )
        world.cleanup.callback(self.thread.close)

    def open(self) -> Response:
        """Open the printed address, as a browser does at first."""
        return self.client.get(self.guard.opening_path)

    def get(self, path: str, **headers: str) -> Response:
        """Ask for a page below the prefix."""
        return self.client.get(f"{self.guard.prefix}{path}", headers=headers)

    def text(self, path: str) -> str:
        """Return a page that is there, without tags, on one line."""
        answer = self.get(path)
        assert answer.status_code == 200, (answer.status_code, text_of(answer))
        return text_of(answer)

    def items(self, path: str) -> Any:
        """Return a list as programs get it."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    def post(self, path: str, fields: dict[str, object] | None = None, **headers: str) -> Response:
        """Send a form, with a fresh token and from a page of ours."""
        data = {"token": self.guard.form_token(), **(fields or {})}
        return self.client.post(
            f"{self.guard.prefix}{path}", data=data, headers={"origin": ORIGIN, **headers}
        )

    def send(self, path: str, **fields: object) -> str:
        """Send a form that leads to a page; return that page's text."""
        answer = self.post(path, fields)
        assert answer.status_code == 303, (answer.status_code, text_of(answer))
        return text_of(self.client.get(answer.headers["location"]))

    def field(self, path: str, name: str) -> str:
        """Return the value of a hidden field of a page."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.get(path).text)
        assert found, name
        return unescape(found[1])


def text_of(answer: Response) -> str:
    """Return the text of a page, without tags, on one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def opened(world: World, **settings: Any) -> Caller:
    """Return a caller that has its cookie."""
    caller = Caller(world, **settings)
    assert caller.open().status_code == 200
    return caller


class Serving(NamedTuple):
    """A page that is served, and the address that it printed."""

    process: "subprocess.Popen[str]"
    address: str

    @property
    def base(self) -> str:
        """The address of all pages, with a `/` at the end."""
        return self.address.partition("?")[0]


@contextlib.contextmanager
def serving(world: World, *arguments: str) -> Iterator[Serving]:
    """Start it, wait for its address, and end it afterwards."""
    command = [str(BIN / "hardwon"), "view", "--no-open", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=world.project, env=world.variables, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout
        line = process.stdout.readline()
        try:
            assert line.startswith("hardwon view: http://127.0.0.1:"), (line, process.poll())
            yield Serving(process, line.removeprefix("hardwon view: ").strip())
        finally:
            process.terminate()
            process.wait(LONGEST_WAIT)
