"""`hardwon stats`: count what is remembered."""

from hardwon.domain.model.pause import holding
from hardwon.entrypoints.bootstrap import host_session, open_pauses
from hardwon.entrypoints.bootstrap_retrieval import open_trials
from hardwon.entrypoints.cli.console import print_json, say, shown
from hardwon.entrypoints.cli.options import (
    AsJson,
    GlobalStore,
    In,
    OfProject,
    ProjectRoot,
    chosen,
    open_for,
)
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.presenters.lift import trial_document, trial_line
from hardwon.entrypoints.presenters.pauses import pause_document, pause_line
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.stats import count


def stats(
    *,
    collection: In = "all",
    project: OfProject = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show counts, search methods and settings."""
    memory = open_for(project_root, global_store, create=False, in_pause=True)
    seen = None if project else read_workplace(memory, project_root).visibility
    figures = count(memory, chosen(collection, project=project), seen)
    trial = open_trials(memory.settings.global_store).read()
    paused = holding(open_pauses(memory.settings.global_store).read(), memory.clock.now())
    if as_json:
        now = {
            "paused": [*map(pause_document, paused)],
            "trial": trial_document(trial),
        }
        print_json({**figures, **{name: value for name, value in now.items() if value}})
        return
    if trial:
        say(trial_line(trial))
    for pause in paused:
        say(pause_line(pause, host_session()))
    for name, value in figures.items():
        say(f"{name}:")
        for key, item in value.items():
            say(
                f"  {key or '(universal)':<22}{_most_used(item) if isinstance(item, list) else shown(item)}"
            )


def _most_used(entries: list[dict[str, object]]) -> str:
    return (
        ", ".join(on_one_line(f"{item['name']} ({item['influence_count']})") for item in entries)
        or "none"
    )
