import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.browser.chromium import chromium
from tests.entrypoints.hook_process import Original, World
from tests.entrypoints.view.caller import Serving, serving
from tests.machine import LONGEST_WAIT

View: TypeAlias = Callable[..., Page]

expect.set_options(timeout=LONGEST_WAIT * 1000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        if found is None:
            pytest.skip("there is no Chromium here: make browser installs one")
        yield found


@pytest.fixture
def cleanup() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return Original(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def world(original: Original, tmp_path: Path, cleanup: contextlib.ExitStack) -> World:
    """Return a world whose store knows a bank, with all vectors."""
    return original.copy(tmp_path / "world", cleanup, embedded=True)


@pytest.fixture
def empty_world(tmp_path: Path, cleanup: contextlib.ExitStack) -> World:
    return World(tmp_path / "empty", cleanup)


@pytest.fixture
def view(browser: Browser, cleanup: contextlib.ExitStack) -> View:
    """Return a function that serves a world's store and opens its page; afterwards nothing may have left the machine or failed."""

    def view(world: World, **options: object) -> Page:
        served = cleanup.enter_context(serving(world))
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})  # type: ignore[arg-type]
        cleanup.callback(context.close)
        cleanup.callback(watch(context, served).check)
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url(served.base)
        return page

    return view


class Watch:
    """All that a browser asks for and complains of."""

    def __init__(self, served: Serving) -> None:
        self.host = served.base.split("/")[2]
        self.asked = list[str]()
        self.complaints = list[str]()

    def check(self) -> None:
        assert [url for url in self.asked if url.split("/")[2] != self.host] == []
        assert self.complaints == []


def is_of_a_page(message: ConsoleMessage) -> bool:
    """Return whether *message* is about an error in a page, not of an address that was answered with one."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


def watch(context: BrowserContext, served: Serving) -> Watch:
    """Return a record of what pages of *context* ask for, and of errors in them."""
    watched = Watch(served)
    context.on("request", lambda request: watched.asked.append(request.url))
    context.on(
        "console",
        lambda message: watched.complaints.extend([message.text] if is_of_a_page(message) else []),
    )
    context.on("weberror", lambda error: watched.complaints.append(str(error.error)))
    return watched
