from typing import NamedTuple

from hardwon.domain.model.scope import ANYWHERE, Scope
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, KINDS, Category, ContextType, Kind, Source, Tier


class EntryFilter(NamedTuple):
    """
    Which entries a search may return.

    Attributes:
        kinds: Only entries of one of these kinds.
        category: Only learnings of this category; None for all.
        scope: Only entries from these places.
        anywhere: Kinds whose entries may come from any place, whatever the scope.
        permanent: Only entries that are kept for good; False does not ask.
        tag: Only entries the user labelled so, to the letter.
        folder: Only entries of files below this folder, its path absolute, links resolved.
        spec_folder: Only entries of this specification.
        anchor: Only sections of this name; the empty one is that of whole files.
        tier: Only entries that matter so much.
        context_type: Only entries of this sort of work.
        source: Only entries that came in this way.
        session: Only entries that come from this session, by the host's name for it.
        except_session: None of the entries that come from this session.
        ranked: Only what searches may find: neither deprecated nor expired; False does not ask.
        among: Only the entries of these numbers; None for all.
        except_for: None of the entries of these numbers.

    """

    kinds: tuple[Kind, ...] = ("learning",)
    category: Category | None = None
    scope: Scope = ANYWHERE
    anywhere: tuple[Kind, ...] = ()
    permanent: bool = False
    tag: str | None = None
    folder: str | None = None
    spec_folder: str | None = None
    anchor: str | None = None
    tier: Tier | None = None
    context_type: ContextType | None = None
    source: Source | None = None
    session: str | None = None
    except_session: str | None = None
    ranked: bool = False
    among: tuple[int, ...] | None = None
    except_for: tuple[int, ...] = ()


LEARNINGS = EntryFilter()
IMPORTED_LEARNINGS = EntryFilter(source="import", ranked=True)
EVERYTHING = EntryFilter(kinds=KINDS)
CONVERSATIONS = EntryFilter(kinds=CONVERSATION_KINDS, ranked=True)
