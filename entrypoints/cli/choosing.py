"""Options that say which memories are meant."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.recall.collection import COLLECTIONS, CollectionName
from hardwon.domain.model.scope import Scope
from hardwon.domain.model.vocabulary import Kind, Tier
from hardwon.entrypoints.streams import readable

MOST = 2**31 - 1

ALL = "all"

In: TypeAlias = Annotated[CollectionName, typer.Option("--in", help="Which collection.")]
OfKinds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="KIND|all", help="Only this kind of the collection; can be repeated."),
]
Permanent: TypeAlias = Annotated[bool, typer.Option("--permanent", help="Only what is kept for good.")]
Tag: TypeAlias = Annotated[str | None, typer.Option(metavar="TAG", help="Only what has this tag.")]
OfTier: TypeAlias = Annotated[Tier | None, typer.Option("--tier", help="Only what matters so much.")]
OfSpecFolder: TypeAlias = Annotated[
    str | None, typer.Option("--spec-folder", metavar="FOLDER", help="Only from this specification.")
]
OfProject: TypeAlias = Annotated[str | None, typer.Option("--project", metavar="NAME", help="Only from this project.")]
OfWorkspace: TypeAlias = Annotated[
    str | None,
    typer.Option("--workspace", metavar="NAME", help="Only from this workspace; with --project either is enough."),
]


def kinds_of(collection: CollectionName, wanted: Sequence[str] | None) -> tuple[Kind, ...]:
    """
    Return the kinds of *collection* that are *wanted*; all of them when nothing is said.

    Raises:
        typer.BadParameter: one of them is not in the collection.
    """
    kinds = COLLECTIONS[collection].kinds
    for kind in wanted or ():
        if kind not in (*kinds, ALL):
            raise typer.BadParameter(
                f"{kind!r} is not in {collection}: use {', '.join((*kinds, ALL))}", param_hint="'--type'"
            )
    return kinds if not wanted or ALL in wanted else tuple(kind for kind in kinds if kind in wanted)


def chosen(
    collection: CollectionName,
    kinds: Sequence[str] | None = None,
    *,
    project: str | None = None,
    workspace: str | None = None,
    permanent: bool = False,
    tag: str | None = None,
) -> EntryFilter:
    """Return which entries the options of a command mean; one that is not given does not ask."""
    return EntryFilter(
        kinds=kinds_of(collection, kinds),
        scope=Scope(_name(project), _name(workspace)),
        permanent=permanent,
        tag=_name(tag),
    )


def _name(given: str | None) -> str | None:
    return None if given is None else readable(given)
