"""Where the user works, filters of entries, and collections."""

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from hardwon.domain.model.project import Visibility
from hardwon.domain.model.settings import CONTEXT_TOKENS
from hardwon.domain.model.vocabulary import (
    CONVERSATION_KINDS,
    KINDS,
    Category,
    ContextType,
    Kind,
    Source,
    Tier,
)

if TYPE_CHECKING:
    from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry

P = TypeVar("P", "PrintedEntry", "ConstitutionalText")


class Workplace(NamedTuple):
    """
    Where the user works, from which entries rank higher.

    Attributes:
        project: The id of the project; empty for one that the store does not know.
        workspace: The real path of the folder of projects it is in, or the name that the user gave
            to another one.
        branch: The git branch that is checked out, None without git.
        touched_files: Recently changed files, relative to the project.
        siblings: The names of known projects in the same folder.
    """

    project: str
    workspace: str | None = None
    branch: str | None = None
    touched_files: tuple[str, ...] = ()
    label: str = ""
    visibility: Visibility = Visibility()
    labels: Mapping[str, str] = {}
    siblings: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """The ids of the project and of its other clones."""
        return self.visibility.own

    def labelled(self, printed: P) -> P:
        """Label *printed* with its project if that is another one."""
        is_own = printed.project is None or printed.project in self.own
        return (
            printed
            if is_own
            else printed._replace(origin=self.labels.get(printed.project or "", ""))
        )

    def always_labelled(self, printed: P) -> P:
        """Label *printed* with its project, also with this one."""
        if printed.project is not None and printed.project in self.own:
            return printed._replace(origin=self.label)
        return self.labelled(printed)


NOWHERE = Workplace("")


class RecallOccasion(NamedTuple):
    """
    The session start that recalls related conversations.

    Attributes:
        budget_tokens: The budget of the section; 0 and less for none.
        compacted: The session whose beginning was just compacted, by the host's name; empty for
            none.
    """

    workplace: Workplace
    budget_tokens: int = CONTEXT_TOKENS
    compacted: str = ""


class Scope(NamedTuple):
    """
    The origins of entries, of which one suffices.

    Without any every entry matches.
    """

    projects: tuple[str, ...] = ()
    workspace: str | None = None


ANYWHERE = Scope()


class EntryFilter(NamedTuple):
    """
    The conditions that entries of a search must meet.

    None, False and empty values set no condition.

    Attributes:
        anywhere: Kinds whose entries may come from any place, whatever the scope.
        visible_in: Only entries that may be shown without being asked for in this project; None for
            all.
        origins: Only entries that stand or were said in one of these projects, by id.
        unlabelled: Only entries without keywords.
        citing: Only entries with references.
        gone: Only entries of which every cited file is gone.
        stale: Only entries of which a cited file has changed or is gone.
        superseded: Only entries that another one replaces.
        unplaced: Only entries without a project.
        folder: Only entries of files below this folder, its path absolute, links resolved.
        anchor: Only sections of this name; the empty one selects whole files.
        of_others: Only entries kept at home as the version of their file was not the user's.
        session: By the host's name.
        since: Only entries made in this second or later.
        until: Only entries made before this second.
        shown: Only entries that were injected, or that never were.
        used: Only entries that were used in a session, or in none.
        idle_since: Only entries made before this second and not injected since.
        ranked: Only entries that are neither deprecated nor expired.
        among: Numbers of entries; None for all.
        except_for: Numbers of entries.
    """

    kinds: tuple[Kind, ...] = ("learning",)
    category: Category | None = None
    scope: Scope = ANYWHERE
    anywhere: tuple[Kind, ...] = ()
    visible_in: Visibility | None = None
    origins: tuple[str, ...] = ()
    label: str | None = None
    permanent: bool = False
    unlabelled: bool = False
    citing: bool = False
    gone: bool = False
    stale: bool = False
    superseded: bool = False
    unplaced: bool = False
    tag: str | None = None
    folder: str | None = None
    spec_folder: str | None = None
    anchor: str | None = None
    tier: Tier | None = None
    context_type: ContextType | None = None
    source: Source | None = None
    of_others: bool = False
    session: str | None = None
    except_session: str | None = None
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    shown: bool | None = None
    used: bool | None = None
    idle_since: dt.datetime | None = None
    ranked: bool = False
    among: tuple[int, ...] | None = None
    except_for: tuple[int, ...] = ()

    @property
    def bound(self) -> tuple[Kind, ...]:
        """The kinds whose entries may only come from its scope."""
        if self.scope == ANYWHERE:
            return ()
        return tuple(kind for kind in self.kinds if kind not in self.anywhere)


LEARNINGS = EntryFilter()
IMPORTED_LEARNINGS = EntryFilter(source="import", ranked=True)
EVERYTHING = EntryFilter(kinds=KINDS)
OF_OTHERS = EntryFilter(kinds=KINDS, of_others=True, ranked=True)
UNPLACED = EntryFilter(kinds=tuple(kind for kind in KINDS if kind != "learning"), unplaced=True)
"""Entries of files whose project is not known."""
CONVERSATIONS = EntryFilter(kinds=CONVERSATION_KINDS, ranked=True)

CollectionName: TypeAlias = Literal["all", "learnings", "sessions", "conversations", "documents"]
ScopeName: TypeAlias = Literal["project", "workspace", "global"]
Asker: TypeAlias = Literal["person", "agent"]
"""The caller of a search: a person who types, or an agent."""
PolicyName: TypeAlias = Literal["adaptive", "hybrid", "cosine", "affinity", "context", "fused"]

POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


class Collection(NamedTuple):
    """
    A group of kinds and its search defaults.

    Attributes:
        minimum: The least relevance of an answer; None for no threshold.
    """

    kinds: tuple[Kind, ...]
    policy: PolicyName
    limit: int
    minimum: float | None
    scope: ScopeName


RELEVANCE_FLOOR = 0.5

COLLECTIONS: dict[CollectionName, Collection] = {
    "all": Collection(
        kinds=KINDS, policy="adaptive", limit=10, minimum=RELEVANCE_FLOOR, scope="project"
    ),
    "learnings": Collection(
        kinds=("learning",), policy="hybrid", limit=20, minimum=None, scope="global"
    ),
    "sessions": Collection(
        kinds=("session",), policy="cosine", limit=5, minimum=0.5, scope="workspace"
    ),
    "conversations": Collection(
        kinds=CONVERSATION_KINDS, policy="affinity", limit=5, minimum=0.0, scope="workspace"
    ),
    "documents": Collection(
        kinds=("document",), policy="fused", limit=10, minimum=None, scope="project"
    ),
}


def scope_of(name: ScopeName, workplace: Workplace) -> Scope:
    """Return the scope called *name* where the user works."""
    if name == "global":
        return ANYWHERE
    return Scope(workplace.own or ("",), workplace.workspace if name == "workspace" else None)


def seen_from(workplace: Workplace, only: EntryFilter = EVERYTHING) -> EntryFilter:
    """
    Restrict *only* to what may be shown without a query.

    Other kinds than learnings must be of that project.
    """
    return asked_from(workplace, only, "project")


def asked_from(
    workplace: Workplace, only: EntryFilter, default: ScopeName, scope: ScopeName | None = None
) -> EntryFilter:
    """
    Restrict *only* to what a question asked where the user works means.

    *scope* is what the user asked for, `global` for everything. None means *default* for other
    kinds than learnings, of what may be shown without a query.
    """
    if scope == "global":
        return only
    return only._replace(
        scope=scope_of(scope or default, workplace),
        anywhere=() if scope else ("learning",),
        visible_in=workplace.visibility,
    )


def answering(
    asker: Asker, workplace: Workplace, only: EntryFilter, scope: ScopeName | None = None
) -> EntryFilter:
    """
    Restrict *only* to what may answer *asker* where the user works.

    A person is answered from all projects of theirs and from what waits for one, also in a foreign
    project; an agent from the project and its workspace. A *scope* that was asked for counts for
    both.
    """
    if scope or asker == "agent":
        return asked_from(workplace, only, default="workspace", scope=scope)
    return only._replace(visible_in=workplace.visibility.for_person())


def elsewhere_for(asker: Asker, workplace: Workplace, only: EntryFilter) -> EntryFilter | None:
    """
    Return the filter for a person's answers, to be counted for *asker*.

    None for an agent in a foreign project.
    """
    if asker == "agent" and workplace.visibility.is_foreign:
        return None
    return answering("person", workplace, only)
