"""How an agent comes to call us, and whether that works."""

from collections.abc import Collection
from typing import NamedTuple

BY_PLUGIN = "its plugin"


class Connection(NamedTuple):
    """
    How an agent comes to call us.

    Attributes:
        ways: In words, such as the file that says so; none when it does not.
        commands: The programs that its files name.

    """

    ways: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    @property
    def is_by_plugin(self) -> bool:
        """Whether our plugin is enabled, which brings hooks and tools."""
        return BY_PLUGIN in self.ways

    @property
    def is_twice(self) -> bool:
        """Whether hooks run twice."""
        return len(self.ways) > 1


class Verdict(NamedTuple):
    """
    Whether a connection works.

    Attributes:
        ok: Whether it does, as far as it is set up.
        detail: How it is set up, and the way out when it does not work.

    """

    ok: bool
    detail: str


def judge(connection: Connection, missing: Collection[str]) -> Verdict:
    """
    Return whether a connection works.

    Args:
        connection: One with a way at least.
        missing: Those of its commands that are not there.

    """
    ways = " and ".join(connection.ways)
    if connection.is_twice:
        return Verdict(ok=False, detail=f"hooks run twice, from {ways}: hardwon init leaves them to the plugin")
    if gone := [command for command in connection.commands if command in missing]:
        return Verdict(ok=False, detail=f"{gone[0]} is gone, {ways} names it: run hardwon init")
    return Verdict(ok=True, detail=f"hooks from {ways}")
