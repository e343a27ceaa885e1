"""Change what is known about an entry."""

from collections.abc import Sequence
from typing import Annotated

import typer

from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.retro.banks import places_of
from hardwon.domain.model.vocabulary import Confidence, Tier
from hardwon.domain.use_cases.keeping.change_entry import Changed
from hardwon.entrypoints.changing import confirmation
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.composition.filing import bank_files
from hardwon.entrypoints.documents import entry_document
from hardwon.entrypoints.storing import complaints_of_keywords, embed_now
from hardwon.entrypoints.streams import readable

NOTHING_TO_CHANGE = (
    "nothing to change: give --title, --tier, --weight, --confidence, --reasoning, --trigger, --keyword, --tag,"
    " --permanent or --no-permanent"
)
WRITTEN_IN_BANKS = {"title", "confidence"}
EXAMPLES = "Example: hardwon update 42 --tier important --trigger 'release the parser'"


def update(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    *,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="New title, one line.")] = None,
    tier: Annotated[Tier | None, typer.Option(help="How much it matters; deprecated is found no more.")] = None,
    weight: Annotated[
        float | None, typer.Option(metavar="0..1", help="Its order among what is always shown; 1 never ages.")
    ] = None,
    confidence: Annotated[Confidence | None, typer.Option(help="How sure it is.")] = None,
    reasoning: Annotated[str | None, typer.Option(metavar="TEXT", help="Why it matters, and how it was found.")] = None,
    triggers: Annotated[
        list[str] | None,
        typer.Option("--trigger", metavar="PHRASE", help="What brings it up, instead of all it had; '' for nothing."),
    ] = None,
    keywords: Annotated[
        list[str] | None, typer.Option("--keyword", metavar="WORD", help="A label, instead of all it had.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Your own label, instead of all it had.")
    ] = None,
    permanent: Annotated[
        bool | None, typer.Option("--permanent/--no-permanent", help="Whether it is kept for good.")
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Change what is known about an entry; what is not given stays.

    A file has the word on its title and labels: they come back from it when it changes. A knowledge bank is a record: it
    keeps a lesson's heading and confidence as they were, and the store's are shown.
    """
    change = EntryChange(
        title=None if title is None else readable(title),
        importance_tier=tier,
        importance_weight=weight,
        confidence=confidence,
        reasoning=None if reasoning is None else readable(reasoning),
        trigger_phrases=_texts(triggers),
        keywords=_texts(keywords),
        tags=_texts(tags),
        permanent=permanent,
    )
    if change.is_empty:
        raise typer.BadParameter(NOTHING_TO_CHANGE, param_hint="options")
    memory = open_for(project_root, global_store, create=False)
    changed = memory.change_entry(find_entry(memory, entry_id).entry_id, change)
    for line in complaints_of_keywords(change.keywords or (), changed.entry):
        warn(line)
    _tell(memory, changed, _stale_banks(memory, changed, project_root), as_json=as_json)


def _texts(given: list[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(map(readable, given))


def _stale_banks(memory: Memory, changed: Changed, project_root: str) -> list[str]:
    """Return a line for each file of the knowledge banks that says otherwise: it is a record, and stays."""
    if not WRITTEN_IN_BANKS & {each.field for each in changed.changes}:
        return []
    bank = bank_files(project_root, memory.settings)
    try:
        return [f"{bank.path(place)} keeps it as it was" for place in places_of(bank.texts(), changed.entry.entry_id)]
    except UnreadableFileError:  # the change is made, and other commands tell of the file
        return []


def _tell(memory: Memory, changed: Changed, stale: Sequence[str], *, as_json: bool) -> None:
    for line in embed_now(memory) if changed.needs_vectors else ():
        warn(line)
    if as_json:
        print_json(
            {
                "changed": [each._asdict() for each in changed.changes],
                "sections": changed.sections._asdict(),
                "entry": entry_document(changed.entry),
            }
        )
    for line in () if as_json else (*confirmation(changed), *stale):
        say(line)
    if changed.changes:
        label_after_output(memory)
