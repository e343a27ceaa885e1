"""`hardwon view`: look at the memory in the browser."""

import errno
import os
import sys
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from hardwon.entrypoints.cli.console import OK, say, warn
from hardwon.entrypoints.cli.options import GlobalStore, ProjectRoot, resolve

if TYPE_CHECKING:
    from hardwon.entrypoints.view.server import View

VIEW_EXAMPLES = """\b
Examples:
  hardwon view
  hardwon view --no-open --port 8765"""

LARGEST_PORT = 65535


def view(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=LARGEST_PORT, help="The port; 0 for any free one.")
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address without opening a browser.")
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
) -> None:
    """
    Open the memory in the browser.

    It shows search, map, what sessions were given and why, and what waits for a decision. The page
    is served to this machine only. Its address works once, for one browser. The server ends with
    Ctrl-C, or after an hour without a request.
    """
    from hardwon.entrypoints.view.server import View, listen  # a third of a second

    settings = resolve(project_root, global_store).settings
    try:
        listener = listen(port)
    except OSError as error:
        problem = "is taken" if error.errno == errno.EADDRINUSE else "can't be used"
        raise typer.BadParameter(
            f"{port} {problem} ({os.strerror(error.errno or 0)}): give another one, or none for any"
            " that is free",
            param_hint="'--port'",
        ) from error
    with listener:
        page = View(settings, os.path.realpath(project_root), listener=listener, warn=warn)
        say(f"hardwon view: {page.address}")
        say("Ctrl-C ends it")
        sys.stdout.flush()  # a program that started this reads the address now
        if not no_open:
            # A terminal browser blocks until it ends, and needs the page until then.
            threading.Thread(target=_open, args=(page,), daemon=True).start()
        if page.serve():
            say("Ended: the page was not used for an hour")
        if not page.has_ended:
            sys.stdout.flush()
            os._exit(OK)  # Python would wait for a search or a change that the store takes back


def _open(page: "View") -> None:
    if not page.open_in_browser():
        warn("no browser could be opened: open the address yourself")
