"""The values of enumerated fields. Standard library only."""

from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal[
    "learning", "session", "decision", "gotcha", "preference", "conversation", "document"
]
Category: TypeAlias = Literal["anti-patterns", "heuristics", "patterns"]
Confidence: TypeAlias = Literal["high", "medium", "low"]
Source: TypeAlias = Literal["retro", "session-capture", "manual", "import"]
Tier: TypeAlias = Literal[
    "constitutional", "critical", "important", "normal", "temporary", "deprecated"
]
ContextType: TypeAlias = Literal["research", "implementation", "decision", "discovery", "general"]
Reach: TypeAlias = Literal["everywhere", "shared", "home"]
Door: TypeAlias = Literal[
    "writer", "add", "mcp", "retro", "capture", "bank", "global-bank", "file", "import", "checkout"
]
DecayMode: TypeAlias = Literal["half-life", "rates"]
TrustMode: TypeAlias = Literal["own", "ask"]
"""Which projects are trusted: committed to, or only named by the user."""

KINDS: tuple[Kind, ...] = get_args(Kind)
CATEGORIES: tuple[Category, ...] = get_args(Category)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
SOURCES: tuple[Source, ...] = get_args(Source)
TIERS: tuple[Tier, ...] = get_args(Tier)
CONTEXT_TYPES: tuple[ContextType, ...] = get_args(ContextType)
REACHES: tuple[Reach, ...] = get_args(Reach)
DOORS: tuple[Door, ...] = get_args(Door)
DECAY_MODES: tuple[DecayMode, ...] = get_args(DecayMode)
TRUST_MODES: tuple[TrustMode, ...] = get_args(TrustMode)

CAPTURED_LESSONS: tuple[Kind, ...] = ("decision", "gotcha", "preference")
"""The kinds whose entries are details of a conversation."""

CONVERSATION_KINDS: tuple[Kind, ...] = (*CAPTURED_LESSONS, "conversation")
LESSON_KINDS: tuple[Kind, ...] = ("learning", *CAPTURED_LESSONS)
"""The kinds whose entries are one lesson each."""
