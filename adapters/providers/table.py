"""The providers on the network, as data: addresses, keys, models and limits."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind


class Model(NamedTuple):
    """
    A model that makes vectors.

    Attributes:
        dimensions: Default width of its vectors; 0 if it has to be given.
        task_scheme: How documents and queries are distinguished.
        prefixes: Text in front of a document or a query.
        task_types: A field of the request for a document or a query.
    """

    dimensions: int
    max_tokens: int
    task_scheme: str = "none"
    prefixes: Mapping[str, str] = {}
    task_types: Mapping[str, str] = {}


class Provider(NamedTuple):
    """
    A provider of vectors, labels or both.

    Attributes:
        key_variable: The environment variable of its key; empty if it takes none.
        key_header: The header that carries the key, and its value.
        needs_key_elsewhere: Whether another address wants a key too.
        way_out_of_404: Advice if address or model does not exist, with `{model}`.
        way_out_when_down: Advice if the server does not answer.
        models: The known models, by `family`.
        other_model: The facts about an unknown model.
        family: Returns the part of a model's name that its versions share.
        models_of_kinds: The models if none is named, and the kinds they embed; empty for one model
            for all.
        max_texts: Texts in one request.
        max_characters: Characters in one request, unless a single text is longer.
        label_model: The default model of labels.
    """

    name: str
    title: str
    url: str
    url_variable: str
    key_variable: str = ""
    key_header: tuple[str, str] = ("Authorization", "Bearer {}")
    needs_key_elsewhere: bool = True
    headers: Mapping[str, str] = {}
    way_out_of_404: str = "check memory_embedding_model"
    way_out_when_down: str = "check the network"
    model: str = ""
    models: Mapping[str, Model] = {}
    other_model: Model = Model(0, 0)
    family: Callable[[str], str] = str
    models_of_kinds: Mapping[str, tuple[Kind, ...]] = {}
    max_texts: int = 128
    max_characters: int = 100_000
    label_model: str = ""

    def model_named(self, name: str) -> Model:
        """Return the facts about a model."""
        return self.models.get(self.family(name), self.other_model)


SECOND_GENERATION = "gemini-embedding-2"

GEMINI = Provider(
    name="gemini",
    title="Gemini",
    url="https://generativelanguage.googleapis.com",
    url_variable="GOOGLE_GEMINI_BASE_URL",
    key_variable="GEMINI_API_KEY",
    key_header=("x-goog-api-key", "{}"),
    model="gemini-embedding-001",
    models={
        # It takes no task type; the words are from its documentation.
        SECOND_GENERATION: Model(
            768,
            8000,
            "prefix",
            prefixes={"document": "title: none | text: ", "query": "task: search result | query: "},
        ),
    },
    # The models make 3072 dimensions and shorten them well to 1536 and 768.
    other_model=Model(
        768,
        2048,
        "retrieval",
        task_types={"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"},
    ),
    family=lambda name: name[: len(SECOND_GENERATION)],
    max_texts=100,  # the API's own limit
)

RESERVED_TOKENS = 24
"""Tokens of the longest prefix and a model's begin and end marks."""

OLLAMA = Provider(
    name="ollama",
    title="Ollama",
    url="http://localhost:11434",
    url_variable="OLLAMA_HOST",
    way_out_of_404="run `ollama pull {model}`",
    way_out_when_down="start it with `ollama serve` or set OLLAMA_HOST",
    model="nomic-embed-text",
    # Limits are those of Ollama's own files for them; the prefixes are from the models' cards.
    models={
        "nomic-embed-text": Model(
            768,
            2048 - RESERVED_TOKENS,
            "prefix",
            prefixes={"document": "search_document: ", "query": "search_query: "},
        ),
        "mxbai-embed-large": Model(
            1024,
            512 - RESERVED_TOKENS,
            "prefix",
            prefixes={"query": "Represent this sentence for searching relevant passages: "},
        ),
        "all-minilm": Model(384, 256 - RESERVED_TOKENS),
    },
    other_model=Model(0, 8192 - RESERVED_TOKENS),
    family=lambda name: name.partition(":")[0],
    models_of_kinds={
        "nomic-embed-text": ("learning", "document"),
        "all-minilm": ("session",),
        "mxbai-embed-large": CONVERSATION_KINDS,
    },
    # On a processor alone, more would not be done in the 30 s of a request.
    max_texts=16,
    max_characters=20_000,
    label_model="llama3.2",
)

OPENAI = Provider(
    name="openai",
    title="OpenAI",
    url="https://api.openai.com/v1",
    url_variable="OPENAI_BASE_URL",
    key_variable="OPENAI_API_KEY",
    needs_key_elsewhere=False,
    model="text-embedding-3-small",
    models={
        "text-embedding-3-small": Model(1536, 8_000),
        "text-embedding-3-large": Model(3072, 8_000),
        "text-embedding-ada-002": Model(1536, 8_000),
    },
    other_model=Model(0, 8_000),
)

VOYAGE = Provider(
    name="voyage",
    title="Voyage",
    url="https://api.voyageai.com/v1",
    url_variable="VOYAGE_BASE_URL",
    key_variable="VOYAGE_API_KEY",
    model="voyage-code-3",
    other_model=Model(1024, 32_000, "input_type"),
)

ANTHROPIC = Provider(
    name="anthropic",
    title="Anthropic",
    url="https://api.anthropic.com",
    url_variable="ANTHROPIC_BASE_URL",
    key_variable="ANTHROPIC_API_KEY",
    key_header=("x-api-key", "{}"),
    headers={"anthropic-version": "2023-06-01"},
    way_out_of_404="check the model's name",
    label_model="claude-haiku-4-5",
)

PROVIDERS = (GEMINI, OLLAMA, OPENAI, VOYAGE, ANTHROPIC)
