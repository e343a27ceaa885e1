"""Models of embeddings and labels, and their background thread."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

Task = Literal["document", "query"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def space(self) -> Space:
        """
        The space of every vector this embedder makes.

        Cheap, loads no model.
        """
        ...

    @property
    def max_tokens(self) -> int:
        """
        The maximum number of tokens of a text.

        The rest is cut off.
        """
        ...

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """
        Return one vector for each text, in the order of *texts*.

        The vectors are not normalised: callers scale them to unit length. No texts give
        no vectors. Long texts are cut at the model's limit.

        Raises:
            EmbedderUnavailableError: no answer before *deadline*, or no model.
            UnusableVectorError: the model's answer is not a list of vectors.
        """
        ...


class DownloadableEmbedder(Embedder, Protocol):
    """An embedder of a model that may have to be downloaded first."""

    def lacks_model(self, deadline: Deadline) -> bool:
        """Return whether the provider answers and has no such model."""
        ...

    def pull(self, progress: Callable[[str, int, int], None]) -> None:
        """
        Download the model.

        Args:
            progress: Called with the stage, the bytes done and all bytes.

        Raises:
            EmbedderError: it can't be downloaded.
        """
        ...


class KeywordLabeler(Protocol):
    """Proposes keyword labels for an entry."""

    def label(self, entry: "Entry", deadline: Deadline) -> list[str]:
        """
        Return the labels as the model gave them.

        Callers validate them.

        Raises:
            LabelerUnavailableError: no key, or no answer before *deadline*.
            UnusableLabelsError: the answer contains no list of texts.
        """
        ...


class Pending(Protocol[T_co]):
    """The result of work that was started in the background."""

    def result(self, deadline: Deadline) -> T_co:
        """
        Return the result of the work, or raise its error.

        Raises:
            TimeoutError: *deadline* passed first, or the system has no thread left for the work.
        """
        ...


class Background(Protocol):
    """
    Runs work beside the caller.

    Work that hangs does not delay the end of the process.
    """

    def start(self, work: Callable[[], T]) -> Pending[T]:
        """Start *work*, without raising."""
        ...

    def memoised(self, embedder: Embedder) -> Embedder:
        """
        Return *embedder* with its latest answers and errors memoised by text.

        It is thread-safe. Its requests run in the background. A request that timed out once is not
        waited for again. One that failed is made again once its deadline has passed.
        """
        ...
