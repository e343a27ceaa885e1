"""
What can go wrong, as a caller tells it apart.

::

    HardwonError
      InvalidEntryError (ValueError)      the user's entry can't be stored
        InvalidAnswerError                one line for each thing that is wrong with a retrospective's entries
      InvalidQueryError (ValueError)      what is asked for can't be searched
      UnknownEntryError (LookupError)     no entry goes by that name
      InvalidCheckpointError (ValueError) nothing is kept or found under that name
      InvalidSectionError (ValueError)    the part of a file that is ours can't be told from the user's
      InvalidEvaluationError (ValueError) a set to evaluate on, or an earlier report, can't be used
      UnreadableFileError                 this file is left out; the others can be used
      UneditableFileError                 this file of the user's is left as it is
        TakenNameError                    it has something of the user's by the name we would take
      StorageError                        the store can't be read or written now
        NewerSchemaError                  a later hardwon wrote it: upgrade
        CorruptStoreError                 the file is damaged: doctor --repair
      EmbedderError
        EmbedderUnavailableError          keyword search still works
          RateLimitedError                worth another try, later
        UnusableVectorError               zero, not finite, or of the wrong width
      LabelerUnavailableError             the entry stays without labels
        UnusableLabelsError               the labeler answers; another entry may fare better
      KeywordIndexUnavailableError        vector search still works
      VectorIndexUnavailableError         keyword search still works
        NumpyMissingError                 an incomplete installation

Every message is one line that names the value and the way out.
"""

from collections.abc import Sequence


class HardwonError(Exception):
    """The one root that a door can catch."""


class InvalidEntryError(HardwonError, ValueError):
    """An entry breaks a rule of `Entry`; the message names the field and the value."""


class InvalidAnswerError(InvalidEntryError):
    """
    Entries of a retrospective can't be kept; none was.

    Attributes:
        troubles: All that is wrong with them, one line each, with its place.

    """

    def __init__(self, troubles: Sequence[str]) -> None:
        super().__init__("; ".join(troubles))
        self.troubles = tuple(troubles)


class InvalidQueryError(HardwonError, ValueError):
    """A question breaks a rule of searching; the message names the value."""


class UnknownEntryError(HardwonError, LookupError):
    """No entry has that id or number; the message names it."""


class InvalidCheckpointError(HardwonError, ValueError):
    """No checkpoint can be made or found under that name, or no backup written there; the message names it."""


class InvalidSectionError(HardwonError, ValueError):
    """The markers of our section of a file are not one of each, in order; the message says how they are."""


class InvalidEvaluationError(HardwonError, ValueError):
    """A set to evaluate on, or an earlier report, can't be used; the message names the file and the line."""


class UnreadableFileError(HardwonError):
    """A file is not there, can't be read, or is nothing to keep; the message names it and why."""


class UneditableFileError(HardwonError):
    """A file of the user's can't be edited safely; the message says why, and which when a caller gave several."""


class TakenNameError(UneditableFileError):
    """Something of the user's has the name that ours would take: it stays, and ours is left out."""


class StorageError(HardwonError):
    """The store can't be opened, read or written; what was acknowledged before is safe."""


class NewerSchemaError(StorageError):
    """The store was written by a later version of hardwon; nothing was changed."""


class CorruptStoreError(StorageError):
    """The store's file is damaged or is no database."""


class EmbedderError(HardwonError):
    """A text could not be turned into a vector."""


class EmbedderUnavailableError(EmbedderError):
    """The embedder can't be reached, is not installed, or did not answer in time."""


class RateLimitedError(EmbedderUnavailableError):
    """
    The provider wants fewer requests.

    Attributes:
        retry_after: Seconds until the next try is welcome, None when it did not say.

    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnusableVectorError(EmbedderError):
    """The embedder answered with a vector that can't be compared."""


class LabelerUnavailableError(HardwonError):
    """Labels could not be made: no key, no answer in time, or no usable answer."""


class UnusableLabelsError(LabelerUnavailableError):
    """A labeler answered, with something that is no list of labels."""


class KeywordIndexUnavailableError(HardwonError):
    """Keyword search is not there or did not answer in time."""


class VectorIndexUnavailableError(HardwonError):
    """Vector search is not there or did not answer in time."""


class NumpyMissingError(VectorIndexUnavailableError):
    """numpy can't be imported."""
