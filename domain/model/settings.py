"""The settings of a user."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.vocabulary import ContextType, DecayMode, Tier, TrustMode

COMMAND_PHRASES = ("save context", "document this")
"""The default phrases by which a user has something remembered."""

BOUNDARY_COMMANDS = ("/tlc:plan", "/tlc:build", "/tlc:discuss")
"""The default slash commands that begin a chunk of a conversation."""

BUFFERED = 20
"""Exchanges of a session that are kept in its buffer."""

DEFAULT_STORE = "~/.claude/iflow/memory"
EMBEDDING_PROVIDERS = ("auto", "local", "gemini", "ollama", "openai", "voyage", "off")
NETWORK_EMBEDDERS = frozenset(EMBEDDING_PROVIDERS) - {"auto", "local", "off"}
KEYWORD_PROVIDERS = ("auto", "claude", "haiku", "ollama", "off")
NETWORK_LABELERS = frozenset({"haiku", "ollama"})
WEIGHT_TOLERANCE = 1e-9
CONTEXT_TOKENS = 500


SERVER_SCHEMES = ("postgresql", "postgres")

_ADDRESS = r"(?i)[a-z][a-z0-9+.-]+:/"
"""The beginning of an address. A single letter is a drive."""

_PARAMETER = r"\b(host|password|dbname)="


class ServerAddress:
    """
    The address of a server that keeps the store.

    Shown, it has no password: only `dsn` tells it all.

    Examples:
        >>> print(ServerAddress("postgresql://ann:secret@db.example.org/memory?sslmode=verify-full"))
        postgresql://ann@db.example.org/memory
        >>> print(ServerAddress("postgresql://ann:se/cr@et@db.example.org/memory"))
        postgresql://ann@db.example.org/memory
    """

    __slots__ = ("dsn",)

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn

    def __repr__(self) -> str:
        """
        Return the address without password and options.

        Any part that may belong to a badly escaped password is left out.
        """
        scheme, is_url, rest = self.dsn.partition("://")
        login, at, place = rest.rpartition("@")
        user = login.partition(":")[0]
        host, slash, database = place.partition("?")[0].partition("/")
        known = re.fullmatch(r"[\w.-]*", user), re.fullmatch(r"[^:]*(:\d+)?", host)
        if not is_url or scheme not in SERVER_SCHEMES:
            return "…"
        return f"{scheme}://{user}{at}{host}{slash}{database}" if all(known) else f"{scheme}://…"

    def __eq__(self, other: object) -> bool:
        """Return whether *other* is the same address."""
        return isinstance(other, ServerAddress) and self.dsn == other.dsn

    def __hash__(self) -> int:
        return hash(self.dsn)

    @staticmethod
    def is_one(text: str) -> bool:
        """
        Return whether *text* is meant as a server's address.

        An address with an error counts too.
        """
        has_scheme = ":/" in text and re.match(_ADDRESS, text)
        return bool(has_scheme or ("=" in text and re.search(_PARAMETER, text)))


class Settings(NamedTuple):
    """
    All settings.

    Attributes:
        global_store: The folder of the store, `~` expanded; with a server, of what concerns this
            machine alone.
        semantic_enabled: Off means the markdown-only pipeline.
        injection_limit: The most entries to print; 0 and below mean no output.
        vector_weight: Share of the vector score; the three shares are >= 0 and sum to 1.
        embedding_dimensions: Width of the vectors of an unknown model; 0 for a model's own.
        keyword_search: Off means as if FTS5 were missing.
        workspace: The name of the folder of projects; empty for the name of the folder that holds
            the project.
        decay_mode: Every 90 days half, or a rate for each tier.
        document_roots: More folders with documents beside the project's own, absolute, `~`
            expanded.
        capture_enabled: Whether conversations are captured; None where the set-up decides.
        capture_interval: The number of exchanges after which they are written, 1 to 20.
        context_tokens: The budget of related conversations at session start, in tokens.
        trust: Which projects may speak in others: those the user committed to, or those only that
            the user named.
        server: The server that keeps the store; None for a file in *global_store*.
    """

    global_store: str
    injection_enabled: bool = True
    semantic_enabled: bool = True
    injection_limit: int = 20
    vector_weight: float = 0.5
    keyword_weight: float = 0.2
    prominence_weight: float = 0.3
    embedding_provider: str = "auto"
    embedding_model: str = ""
    embedding_dimensions: int = 0
    keyword_provider: str = "auto"
    keyword_model: str = ""
    keyword_search: bool = True
    workspace: str = ""
    decay_enabled: bool = True
    decay_mode: DecayMode = "half-life"
    decay_floor: float = 0.1
    decay_exempt_tiers: tuple[Tier, ...] = ("constitutional", "critical")
    trigger_phrases: tuple[str, ...] = COMMAND_PHRASES
    document_roots: tuple[str, ...] = ()
    default_tier: Tier = "normal"
    default_context_type: ContextType = "general"
    capture_enabled: bool | None = None
    capture_interval: int = 5
    capture_boundaries: tuple[str, ...] = BOUNDARY_COMMANDS
    context_tokens: int = CONTEXT_TOKENS
    prompt_enabled: bool = True
    moments_enabled: bool = True
    ask_enabled: bool = True
    trust: TrustMode = "own"
    server: ServerAddress | None = None

    def at(self, address: str) -> "Settings":
        """Return the settings for the folder or server at *address*."""
        if ServerAddress.is_one(address):
            return self._replace(server=ServerAddress(address))
        return self._replace(global_store=address, server=None)

    @property
    def address(self) -> str:
        """
        The store as `--global-store` names it.

        It has a password, if the server's address has one.
        """
        return self.server.dsn if self.server else self.global_store

    def shown(self) -> dict[str, object]:
        """Return all settings by name for printing, the server without its password."""
        return {**self._asdict(), "server": str(self.server) if self.server else None}


class ResolvedSettings(NamedTuple):
    """
    Settings with their origins.

    Attributes:
        origins: By field of `Settings`, such as `default`, `environment HARDWON_STORE`, `.tlc.json`
            or `--limit`.
        refused: The settings that files of the project may not give, each with its file.
    """

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...]
    refused: tuple[str, ...] = ()


def usable_weights(weights: Sequence[float]) -> bool:
    """Return whether *weights* are >= 0 with a positive, finite sum."""
    total = sum(weights)
    return math.isfinite(total) and total > 0 and min(weights) >= 0


def balanced_weights(weights: Sequence[float]) -> list[float]:
    """Divide usable *weights* by their sum, unless that is 1."""
    total = sum(weights)
    if abs(total - 1) <= WEIGHT_TOLERANCE:
        return list(weights)
    return [weight / total for weight in weights]
