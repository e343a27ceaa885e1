from collections.abc import Sequence
from typing import Protocol

from hardwon.domain.model.setup.connection import Connection
from hardwon.ports.setup_target import SetupTarget


class Agent(Protocol):
    """A coding agent that can be given a memory."""

    @property
    def name(self) -> str:
        """As an option names it."""
        ...

    @property
    def title(self) -> str:
        """As people name it."""
        ...

    @property
    def program(self) -> str:
        """What its program is called."""
        ...

    @property
    def is_there(self) -> bool:
        """Whether its folder is in the user's home."""
        ...

    def targets(self) -> Sequence[SetupTarget]:
        """Return the files that are to hold something of ours."""
        ...

    def unwanted(self) -> Sequence[SetupTarget]:
        """Return the files that are to hold nothing of ours any more."""
        ...

    def project_targets(self, project: str) -> Sequence[SetupTarget]:
        """Return the files in *project*, a real path, that are to hold something of ours."""
        ...

    def project_unwanted(self, project: str) -> Sequence[SetupTarget]:
        """Return the files in *project*, a real path, that are to hold nothing of ours any more."""
        ...

    def connection(self) -> Connection:
        """Return how it comes to call us now; files that can't be read say nothing."""
        ...

    def obstacle(self, project: str) -> str:
        """Return the file and the setting that keep it from calling us in *project*, a real path; empty for none."""
        ...

    def next_step(self) -> str:
        """Return what the user does next, in one line."""
        ...
