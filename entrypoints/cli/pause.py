"""`hardwon pause` and `hardwon resume`: go off the record."""

from typing import Annotated

import typer

from hardwon.domain.model.pause import NEVER, Pause, holding, parse_duration, pause_of
from hardwon.entrypoints.bootstrap import host_session, open_pauses, system_clock
from hardwon.entrypoints.cli.console import print_json, say
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, Typed, resolve
from hardwon.entrypoints.presenters.pauses import pause_document, pause_line

PAUSE_EXAMPLES = "Examples: hardwon pause; hardwon pause --for 2h30m"
NOT_PAUSED = "Nothing is paused here"
RESUMED = (
    "Resumed: capture starts again with the next prompt. Words of the pause are never captured"
)


def pause(
    *,
    duration: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TIME",
            help="How long, such as 30m, 1h, 2h30m or 1d (default: until hardwon resume).",
        ),
    ] = None,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Go off the record: capture, store and inject nothing for a while.

    In an agent's session it pauses that session, in a terminal all sessions. Words said during a pause
    are never captured. Earlier words stay. Tools and commands of agents are refused. Commands that
    you run yourself work.
    """
    del typed
    now, session_id = system_clock().now(), host_session()
    ends_at = now + parse_duration(duration) if duration is not None else NEVER
    pauses = open_pauses(resolve(project_root, global_store, in_pause=True).settings.global_store)
    added = Pause(session_id, now, ends_at)
    pauses.add(added)
    paused = pause_of(session_id, pauses.read(), now) or added  # a longer one may exist
    if as_json:
        print_json(pause_document(paused))
    else:
        say(pause_line(paused, session_id))


def resume(
    *,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    End the pause of this session and of all sessions.

    In a terminal, every pause ends.
    """
    del typed
    now, session_id = system_clock().now(), host_session()
    pauses = open_pauses(resolve(project_root, global_store, in_pause=True).settings.global_store)
    ending = [item for item in holding(pauses.read(), now) if item.ends_by_resume_in(session_id)]
    if ending:
        pauses.resume(session_id, now)
    if as_json:
        print_json({"resumed": [pause_document(item._replace(ends_at=now)) for item in ending]})
    else:
        say(RESUMED if ending else NOT_PAUSED)
