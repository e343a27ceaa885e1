"""Decide whether the conversations of a folder are kept, and why."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hardwon.domain.model.project import Conversations, KeepingReason

if TYPE_CHECKING:
    from hardwon.ports.agents import SetupRecord


def reason_to_keep(
    enabled: bool | None,  # noqa: FBT001  # the setting has three values
    chosen: Conversations | None,
    *,
    in_plugin: bool,
    has_files: Callable[[], bool],
    record: "Callable[[], SetupRecord]",
    places: Callable[[], Sequence[str]],
) -> KeepingReason | None:
    """Return why conversations of a folder are kept, or None."""
    if enabled is False or chosen == "off":
        return None
    if chosen or enabled:
        return "init" if chosen else "setting"
    if in_plugin:
        return "plugin"
    if has_files():
        return "files"
    known = record()
    if not {*places()}.isdisjoint(known.projects()):
        return "init"  # where the store can't be read now
    return {None: "earlier", True: "everywhere", False: None}[known.keeps_everywhere]
