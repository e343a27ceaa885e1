from typing import NamedTuple


class Space(NamedTuple):
    """
    The identity of an embedding model; vectors of two spaces are never compared.

    Attributes:
        provider: `local`, `gemini`, `ollama`, `openai` or `voyage`.
        model: The model's name as its provider knows it.
        dimensions: Width of its vectors.
        task_scheme: How a document and a query are told apart, `none` when they are not.
        weights_hash: sha256 of the weights where we hold them, else empty.

    """

    provider: str
    model: str
    dimensions: int
    task_scheme: str = "none"
    weights_hash: str = ""
