"""Each hook as the plugin starts it, through the launcher, beside the program alone."""

import json
import os

from bench.capture_hooks import EVENTS
from bench.figures import Aim, Figure
from bench.processes import Command, clean_environment, measure, script
from bench.texts import Writer

LAUNCH = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "plugin", "launch"
)
HOOK = "hardwon-hook"
START = "SessionStart"
OF_THE_HOOK = Aim(1.1, "ratio")
"""The launcher's limit on a session start with the embedded model."""

WORDS = 120


def plugin_figures(folder: str, store: str, repetitions: int) -> list[Figure]:
    """
    Return each event's cost through the launcher, in times of the hook alone.

    A session start is in *store*.
    """
    stores = {
        START: store,
        **{event: os.path.join(folder, f"store-plugin-{event}") for event in EVENTS},
    }
    return [_figure(folder, stores[event], event, repetitions) for event in stores]


def _figure(folder: str, store: str, event: str, repetitions: int) -> Figure:
    payload = json.dumps(_payload(os.path.join(folder, "project"), event))
    launched = Command((LAUNCH, "--or-nothing", HOOK), payload)
    environment = clean_environment(
        _home(folder), HARDWON_STORE=store, HARDWON_CAPTURE_INTERVAL="20"
    )
    cost = measure(lambda _: launched, environment, repetitions, Command((script(HOOK),), payload))
    empty = event == START and not all(cost.outputs)
    return Figure(
        f"plugin_{event.lower()}",
        f"plugin's launcher and hook, {event}: CPU",
        0,
        cost.cpu_ms,
        "ms",
        cost.times_pass,
        ratio_to=HOOK,
        aim=OF_THE_HOOK if event == START else None,
        note="some runs printed nothing" if empty else "",
    )


def _payload(project: str, event: str) -> dict[str, object]:
    text = Writer(seed=6).text(WORDS)
    fields = {"source": "startup"} if event == START else EVENTS[event]
    filled = {key: text if value == "" else value for key, value in fields.items()}
    return {"session_id": "bench-plugin", "cwd": project, "hook_event_name": event, **filled}


def _home(folder: str) -> str:
    """Return a home in which the hook is installed by a link."""
    home = os.path.join(folder, "home-of-plugin")
    programs = os.path.join(home, ".local", "bin")
    os.makedirs(programs, exist_ok=True)
    if not os.path.lexists(link := os.path.join(programs, HOOK)):
        os.symlink(script(HOOK), link)
    return home
