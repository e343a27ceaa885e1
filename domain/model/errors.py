"""
The errors of hardwon.

::

    HardwonError
      InvalidEntryError (ValueError)      the user's entry can't be stored
        InvalidAnswerError                one line for each problem of a retrospective's entries
        ForgottenError                    the user had this text forgotten
      InvalidQueryError (ValueError)      the query can't be searched
      UnknownEntryError (LookupError)     no entry has that name
      InvalidCheckpointError (ValueError) nothing can be stored or found under that name
      InvalidSectionError (ValueError)    hardwon's section of a file can't be located
      InvalidEvaluationError (ValueError) an evaluation set, or an earlier report, can't be used
      UnreadableFileError                 this file is left out; the others can be used
      UneditableFileError                 this file of the user's is left as it is
        TakenNameError                    the user has something of the same name
      StorageError                        the store can't be read or written now
        NewerSchemaError                  a later hardwon wrote it: upgrade
        OlderSchemaError                  it is too large to be migrated in a hook's time
        CorruptStoreError                 the file is damaged: doctor --repair
        ServerAwayError                   the server is away, or full: try again later
      EmbedderError
        EmbedderUnavailableError          keyword search still works
          RateLimitedError                retry later
        UnusableVectorError               zero, not finite, or of the wrong width
      LabelerUnavailableError             the entry stays without labels
        UnusableLabelsError               the labeler works; another entry may succeed
      KeywordIndexUnavailableError        vector search still works
      VectorIndexUnavailableError         keyword search still works
        NumpyMissingError                 an incomplete installation

Every message is one line that names the value and the way out.
"""

from collections.abc import Sequence


class HardwonError(Exception):
    """The base of all errors of hardwon."""


class InvalidEntryError(HardwonError, ValueError):
    """
    An entry breaks a rule of `Entry`.

    The message names the field and the value.
    """


class InvalidAnswerError(InvalidEntryError):
    """
    Entries of a retrospective are invalid, so none was stored.

    Attributes:
        problems: One line each, with its position in the answer.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class ForgottenError(InvalidEntryError):
    """
    The user had this text forgotten.

    Args:
        owner: The id of the entry, or what else `--undo-tombstone` takes; empty when it is unknown.
    """

    def __init__(self, owner: str = "") -> None:
        super().__init__(
            "this text was forgotten; to store it after all, run first:"
            f" hardwon forget --undo-tombstone {owner or 'ID, the id that was forgotten'}"
        )


class InvalidQueryError(HardwonError, ValueError):
    """
    A query is invalid.

    The message names the value.
    """


class UnknownEntryError(HardwonError, LookupError):
    """No entry has the id or number that the message names."""


class InvalidCheckpointError(HardwonError, ValueError):
    """
    A checkpoint can't be made or found under that name.

    Or a backup can't be written there; the message names it.
    """


class InvalidSectionError(HardwonError, ValueError):
    """
    The markers of hardwon's section are not one pair in order.

    The message describes them.
    """


class InvalidEvaluationError(HardwonError, ValueError):
    """
    An evaluation set, or an earlier report, can't be used.

    The message names the file and the line.
    """


class UnreadableFileError(HardwonError):
    """
    A file is missing, can't be read, or can't become an entry.

    The message names it and why.
    """


class UneditableFileError(HardwonError):
    """
    A file of the user's can't be edited safely.

    The message says why, and names it if there were several.
    """


class TakenNameError(UneditableFileError):
    """
    Something of the user's has the name that hardwon would use.

    It stays, and hardwon's is left out.
    """


class StorageError(HardwonError):
    """
    The store can't be opened, read or written.

    Acknowledged writes are safe.
    """


class NewerSchemaError(StorageError):
    """A later version of hardwon wrote the store."""


class OlderSchemaError(StorageError):
    """
    The store's schema is too old to migrate in time.

    Nothing was changed.
    """


class CorruptStoreError(StorageError):
    """The store's file is damaged or is no database."""


class ServerAwayError(StorageError):
    """The server that keeps the store can't be used now, but will be again."""

    @property
    def refusal(self) -> StorageError:
        """The error of what needs the server."""
        return StorageError(
            f"{self}; try again when the server is back. Lessons can be stored and searched"
            " meanwhile"
        )


class EmbedderError(HardwonError):
    """A text could not be embedded."""


class EmbedderUnavailableError(EmbedderError):
    """The embedder can't be reached, is missing, or is too late."""


class RateLimitedError(EmbedderUnavailableError):
    """
    The provider asks for fewer requests.

    Attributes:
        retry_after: Seconds to wait before a retry, None if not given.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnusableVectorError(EmbedderError):
    """The embedder answered with a vector that can't be compared."""


class LabelerUnavailableError(HardwonError):
    """The labeler has no key, or gives no usable answer."""


class UnusableLabelsError(LabelerUnavailableError):
    """A labeler answered with something else than a list of labels."""


class KeywordIndexUnavailableError(HardwonError):
    """Keyword search is unavailable or did not answer in time."""


class VectorIndexUnavailableError(HardwonError):
    """Vector search is unavailable or did not answer in time."""


class NumpyMissingError(VectorIndexUnavailableError):
    """numpy can't be imported."""
