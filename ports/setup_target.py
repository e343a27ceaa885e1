from typing import Protocol


class SetupTarget(Protocol):
    """A file that an agent reads, and what is to stand in it; texts are whole files, line ends as they are."""

    @property
    def path(self) -> str:
        """Where it is, absolute."""
        ...

    @property
    def root(self) -> str:
        """The folder that it may not lead out of."""
        ...

    def snippet(self, text: str | None) -> str:
        """Return what a user would add to *text* by hand, in lines to paste; empty for a file that is all ours."""
        ...

    def with_ours(self, text: str | None) -> str:
        """
        Return *text* with what is ours, once and as it should be; all else is as it was.

        Where only a part of it would take a name of the user's, the rest is brought in.

        Args:
            text: What the file holds, None where there is none.

        Raises:
            TakenNameError: something of the user's has the name of ours, and nothing can be brought in.
            UneditableFileError: it can't be edited safely.

        """
        ...

    def without_ours(self, text: str) -> str | None:
        """
        Return *text* without what is ours, None when all of it is ours; itself when nothing is.

        Raises:
            UneditableFileError: it can't be edited safely.
        """
        ...

    def ensure_not_taken(self, text: str) -> None:
        """
        Do nothing where all of ours could stand in *text*.

        Raises:
            TakenNameError: something of the user's has the name of ours.
            UneditableFileError: it can't be edited safely.
        """
        ...

    def is_blank(self, text: str) -> bool:
        """Tell whether *text* says nothing: a file that held only ours is then left with it."""
        ...
