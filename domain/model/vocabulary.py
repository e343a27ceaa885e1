"""The words that fields may hold. Standard library only."""

from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["learning", "session", "decision", "gotcha", "preference", "conversation", "document"]
Category: TypeAlias = Literal["anti-patterns", "heuristics", "patterns"]
Confidence: TypeAlias = Literal["high", "medium", "low"]
Source: TypeAlias = Literal["retro", "session-capture", "manual", "import"]

KINDS: tuple[Kind, ...] = get_args(Kind)
CATEGORIES: tuple[Category, ...] = get_args(Category)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
SOURCES: tuple[Source, ...] = get_args(Source)

CONVERSATION_KINDS: tuple[Kind, ...] = ("decision", "gotcha", "preference", "conversation")
