"""Say whether an entry was of use."""

from typing import Annotated

import typer

from hardwon.entrypoints.changing import judgement
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, say
from hardwon.entrypoints.host_session import host_session


def validate(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    *,
    useful: Annotated[bool, typer.Option("--useful/--not-useful", help="Whether it helped, or misled.")],
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Say whether an entry was of use.

    What proves itself is offered the tier critical; nothing is promoted by itself.
    """
    memory = open_for(project_root, global_store, create=False)
    validated = memory.validate_entry(find_entry(memory, entry_id).entry_id, useful=useful, session_id=host_session())
    entry, offered = validated.entry, validated.offers_promotion
    if as_json:
        score = entry.usage.validations.confidence_score
        print_json(
            {
                "id": entry.entry_id,
                "number": entry.number,
                "validation_count": entry.usage.validations.total,
                "confidence_score": score,
                "promotion_offered": offered,
            }
        )
        return
    say(judgement(validated))
    if offered:
        say(f"It has proved itself: hardwon update {entry.entry_id} --tier critical makes it critical")
