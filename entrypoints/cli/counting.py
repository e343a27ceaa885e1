"""Count what is remembered."""

from hardwon.entrypoints.cli.choosing import In, OfProject, chosen
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, say, shown
from hardwon.entrypoints.figures import count
from hardwon.entrypoints.streams import on_one_line


def stats(
    *,
    collection: In = "all",
    project: OfProject = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Tell what is remembered, how it is searched, and the settings."""
    memory = open_for(project_root, global_store, create=False)
    figures = count(memory, chosen(collection, project=project))
    if as_json:
        print_json(figures)
        return
    for name, value in figures.items():
        say(f"{name}:")
        for key, each in value.items():
            say(f"  {key or '(universal)':<22}{_most_used(each) if isinstance(each, list) else shown(each)}")


def _most_used(entries: list[dict[str, object]]) -> str:
    return ", ".join(on_one_line(f"{each['name']} ({each['influence_count']})") for each in entries) or "none"
