"""Embedding and labeling after a write, and the lessons near the written one."""

import contextlib
import os
import time
from collections.abc import Callable
from functools import partial

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import EmbedderError, StorageError, VectorIndexUnavailableError
from hardwon.domain.model.filters import (
    EVERYTHING,
    IMPORTED_LEARNINGS,
    EntryFilter,
    Workplace,
    seen_from,
)
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embed_pending import (
    BATCH,
    BATCH_IN_TIME,
    Pairs,
    Patience,
    Progress,
)
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.supersede import FindNearest
from hardwon.entrypoints.bootstrap_capture import wake, wake_to_send
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_embed_pending, build_label_pending
from hardwon.entrypoints.presenters.entries import KEPT_HERE
from hardwon.ports.store import Store

WRITE_SECONDS = 3.0
"""Time limit for vectors in a write."""

NEAREST_SECONDS = 1.0
"""Time limit for finding near lessons by words."""

LABEL_SECONDS = 10.0
"""Time limit for labels of imported entries in a write: two labelers that hang."""

MAX_FAILED = 5
"""Unlabeled imported entries after which a write leaves the rest to the next one."""


@attrs.frozen
class EmbedOutcome:
    """
    The result of embedding.

    Attributes:
        problems: Why a space could not be filled, one line each.
    """

    made: int = 0
    problems: tuple[str, ...] = ()


Embedded = Callable[[Space, Pairs], None]
"""Called with the vectors of a batch once they are stored."""


def fill_spaces(
    spaces: Spaces,
    limit: int | None,
    progress: Progress | None = None,
    patience: Patience | None = None,
    *,
    deadline: Deadline | None = None,
    batch: int = BATCH,
    embedded: Embedded | None = None,
) -> EmbedOutcome:
    """
    Embed at most *limit* pending entries in each space, newest first.

    All are embedded if it is None, but none after *deadline*. A space whose embedder gives up does
    not stop the next one. By default, *embedded* proposes lessons that new ones supersede.
    """
    made, problems = 0, list[str]()
    embedded = embedded or partial(propose, spaces)
    for unwatched in build_embed_pending(spaces):
        embed_pending = attrs.evolve(unwatched, embedded=partial(embedded, unwatched.store.space))
        before = embed_pending.store.count_pending(EVERYTHING)
        is_active = spaces.is_of_active_provider(embed_pending.store.space)
        offset_progress = _offset(progress, made) if progress and is_active else None
        try:
            embed_pending.embed(
                limit,
                deadline or Deadline(time.monotonic),
                progress=offset_progress,
                patience=patience,
                batch=batch,
            )
        except EmbedderError as error:
            problems.append(str(error))
        if is_active:
            made += before - embed_pending.store.count_pending(EVERYTHING)
    settle(spaces)
    return EmbedOutcome(made, tuple(dict.fromkeys(problems)))


def embed_again(
    spaces: Spaces, progress: Progress, patience: Patience, only: EntryFilter = EVERYTHING
) -> EmbedOutcome:
    """
    Re-embed entries of *only* in each space, then missing ones.

    For all entries it resumes where an interrupted run stopped. A vector is replaced once its
    successor exists.
    """
    made, problems = 0, list[str]()
    for embedding in build_embed_pending(spaces):
        space, is_active = (
            embedding.store.space,
            spaces.is_of_active_provider(embedding.store.space),
        )
        report = _offset(progress, made) if is_active else None
        begin, reached = 0, _ignore
        if only == EVERYTHING:
            begin, reached = (
                spaces.store.metadata.embed_cursor(space),
                partial(spaces.store.metadata.move_embed_cursor, space),
            )
        try:
            scoped = attrs.evolve(embedding, only=only)
            done = scoped.embed_again(
                begin,
                reached,
                deadline=Deadline(time.monotonic),
                progress=report,
                patience=patience,
            )
            reached(0)
            made += done if is_active else 0
        except EmbedderError as error:
            problems.append(str(error))
    filled = fill_spaces(spaces, None, patience=patience)
    return EmbedOutcome(made + filled.made, tuple(dict.fromkeys((*problems, *filled.problems))))


def embed_now(spaces: Spaces, embedded: Embedded | None = None) -> list[str]:
    """
    Embed the newest entries within `WRITE_SECONDS`.

    The worker embeds the rest.

    Returns:
        The reasons for missing vectors, a line each.
    """
    deadline = Deadline.after(WRITE_SECONDS, time.monotonic)
    try:
        filled = fill_spaces(
            spaces, BATCH, deadline=deadline, batch=BATCH_IN_TIME, embedded=embedded
        )
        problems = filled.problems
        if deadline.passed() and spaces.count_pending(EVERYTHING):
            wake(spaces.settings, os.curdir)
            problems = (
                problems
                if problems or filled.made
                else (f"none was made within {WRITE_SECONDS:g} s",)
            )
    except (StorageError, OSError) as error:
        problems = (str(error),)
    providers = {space.embedder.space.provider for space in spaces}
    found_by = "the embedded model" if len(problems) < len(providers) else "keyword search"
    return [
        f"its vector follows, until then {found_by} finds it: {problem}" for problem in problems
    ]


def nearest_to(spaces: Spaces, entry: Entry, here: Workplace) -> tuple[Entry, ...]:
    """Return lessons near *entry* that may be shown *here*, none after a failure."""
    try:
        return FindNearest.on(spaces).near(
            entry, seen_from(here), Deadline.after(NEAREST_SECONDS, time.monotonic)
        )
    except StorageError as error:
        spaces.warn(f"near lessons can't be read: {error}")
        return ()


def propose(spaces: Spaces, space: Space, pairs: Pairs) -> None:
    """
    Propose lessons that newly embedded ones supersede.

    Only in a space whose vectors allow it.
    """
    from hardwon.entrypoints.bootstrap_retrieval import (
        build_propose,  # numpy is for those who embed
    )

    if proposing := build_propose(spaces, space):
        with contextlib.suppress(VectorIndexUnavailableError):  # the vectors are stored anyway
            proposing.propose(pairs)


def settle(spaces: Spaces) -> None:
    """Store the active space and provider once there are vectors."""
    if spaces.vectors and spaces.vectors.has_any(EVERYTHING):
        spaces.vectors.activate()
        spaces.settle_provider()


def _ignore(_: int) -> None:
    pass


def _offset(progress: Progress, made: int) -> Progress:
    return lambda done: progress(made + done)


def label_imports(store: Store, settings: Settings) -> None:
    """
    Label at most 50 imported entries without keywords, within `LABEL_SECONDS`.

    Starts after the entry tried last, so that every entry gets its turn. Stops when no labeler
    answers, or `MAX_FAILED` entries got no labels. Failures are not reported: the entries are
    searchable without labels, and the next write continues.
    """
    with contextlib.suppress(StorageError):
        if not has_imports_to_label(store):
            return
        label_pending = build_label_pending(
            store, settings, IMPORTED_LEARNINGS, patience=1, most_failed=MAX_FAILED
        )
        run = label_pending.label(
            BATCH,
            Deadline.after(LABEL_SECONDS, time.monotonic),
            after=store.entries.by_id(store.metadata.label_cursor or ""),
        )
        if run.last:
            store.metadata.move_label_cursor(run.last.entry_id)


def has_imports_to_label(store: Store) -> bool:
    """Return whether an imported entry has no labels."""
    return bool(store.entries.matching(IMPORTED_LEARNINGS._replace(unlabelled=True), limit=1))


def send_or_warn(memory: Memory, project_root: str) -> None:
    """Start the sending of what waits, or warn that a lesson waits."""
    if memory.away:
        memory.warn(KEPT_HERE.format(memory.away))
    elif memory.settings.server:
        wake_to_send(memory.settings, project_root)
