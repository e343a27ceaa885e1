"""The table of settings, and the rules that parse their texts."""

import math
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from hardwon.domain.model.settings import (
    BUFFERED,
    EMBEDDING_PROVIDERS,
    KEYWORD_PROVIDERS,
    NETWORK_EMBEDDERS,
    NETWORK_LABELERS,
)
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, DECAY_MODES, TIERS, TRUST_MODES

Reading: TypeAlias = tuple[Any, str]
"""A value, None for the default. A complaint about the text, empty without one."""

Rule: TypeAlias = Callable[[str], Reading]
"""Parses a text that is not blank. Never raises."""

WHOLE_NUMBER = "-?[0-9]+"
DECIMAL_NUMBER = r"-?[0-9]*\.[0-9]+"
NONE = "none"
"""An empty list."""

MODEL = r"(?a)[\w.+@-]{1,100}(?:/[\w.+@-]{1,100}){0,2}(?::[\w.+@-]{1,100})?"
"""
A model's name, with owner and tag if it has them.

Neither a path nor an address.
"""

MAX_OF_PROJECT = 1_000
"""Entries that a project may ask for. Some hundred fit into a block."""

MAX_LIMIT = 2**31 - 1  # every store can bind it


def exactly_true(text: str) -> Reading:
    """
    Parse a master switch, which is on only for `true`.

    `yes`, `True` and `1` are off.
    """
    return text == "true", "" if text in {"true", "false"} else "counts as false; only true is on"


def switch(text: str) -> Reading:
    """Parse `true` or `false`, else the default."""
    if text in {"true", "false"}:
        return text == "true", ""
    return None, "is neither true nor false; using the default"


def limit(text: str) -> Reading:
    """Parse a whole number, clamped to 31 bits, else the default."""
    refused = None, "is no whole number; using the default"
    if not re.fullmatch(WHOLE_NUMBER, text):
        return refused
    try:
        return max(-MAX_LIMIT, min(MAX_LIMIT, int(text))), ""
    except ValueError:  # Python refuses thousands of digits
        return refused


def limit_of_project(text: str) -> Reading:
    """Parse a limit that a project sets, clamped to `MAX_OF_PROJECT`."""
    value, complaint = limit(text)
    is_more = value is not None and value > MAX_OF_PROJECT
    return (
        (MAX_OF_PROJECT, f"is more than {MAX_OF_PROJECT}; using that")
        if is_more
        else (value, complaint)
    )


def count(text: str) -> Reading:
    """Parse a whole number from 0 up, else the default."""
    value, complaint = limit(text)
    return (
        (value, complaint)
        if value is None or value >= 0
        else (None, "is negative; using the default")
    )


def from_1_to(most: int) -> Rule:
    """Return the rule for a whole number from 1 to *most*."""

    def rule(text: str) -> Reading:
        value, complaint = limit(text)
        is_refused = value is not None and not 1 <= value <= most
        return (
            (None, f"is none of 1 to {most}; using the default")
            if is_refused
            else (value, complaint)
        )

    return rule


def weight(text: str) -> Reading:
    """Parse a number, else NaN, because one bad weight spoils all three."""
    number = re.fullmatch(WHOLE_NUMBER, text) or re.fullmatch(DECIMAL_NUMBER, text)
    return float(text) if number else math.nan, ""


def share(text: str) -> Reading:
    """Parse a number from 0 to 1, else the default."""
    value, _ = weight(text)
    return (value, "") if 0 <= value <= 1 else (None, "is no number from 0 to 1; using the default")


def one_of(*names: str) -> Rule:
    """Return the rule for one of *names*, else the default."""

    def rule(text: str) -> Reading:
        return (
            (text, "")
            if text in names
            else (None, f"is none of {', '.join(names)}; using the default")
        )

    return rule


def some_of(*names: str) -> Rule:
    """Return the rule for some of *names* between commas, or `none`."""

    def rule(text: str) -> Reading:
        chosen, _ = phrases(text)
        return (
            (chosen, "")
            if {*chosen} <= {*names}
            else (None, f"names others than {', '.join(names)}; using the default")
        )

    return rule


def phrases(text: str) -> Reading:
    """Parse phrases between commas, or `none`."""
    readable, _ = name(text)
    return tuple(filter(None, map(str.strip, readable.split(",")))) if readable != NONE else (), ""


def name(text: str) -> Reading:
    """Return a name unchanged, except that lone surrogates are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8"), ""


def model(text: str) -> Reading:
    """
    Parse the name of a model, else the default.

    An address and a path that climbs are no names.
    """
    is_name = re.fullmatch(MODEL, text) and ".." not in text
    return (text, "") if is_name else (None, "is no name of a model; using the default")


def path(text: str) -> Reading:
    """Return a path unchanged, with bytes that are no UTF-8."""
    return text, ""


def folders(text: str) -> Reading:
    """
    Parse absolute paths between the system's path separators.

    `~` is the user's home. Other paths are left out.
    """
    paths = [folder.strip() for folder in text.split(os.pathsep) if folder.strip()]
    usable = tuple(path for path in paths if path.startswith("~") or os.path.isabs(path))
    return usable, (
        "" if len(usable) == len(paths) else "must be absolute paths; the others are left out"
    )


class Setting(NamedTuple):
    """
    The rule of a setting and the sources that may set it.

    Attributes:
        rule: Parses its text.
        flag: The command-line option, by default `--` and the field's name.
        variables: Environment variables, the strongest first; by default `HARDWON_` and the name.
        of_project: Whether a file of the project may set it, as `memory_` and the name.
        in_project: A stricter rule for a file of the project.
        reserved: Whether a text is for the user alone and ignored in a file of the project.
    """

    rule: Rule
    flag: str = ""
    variables: tuple[str, ...] = ()
    of_project: bool = True
    in_project: Rule | None = None
    reserved: Callable[[str], bool] | None = None


def _always(_: str) -> bool:
    return True


# The store, hosts, base URLs, keys and network providers stay out of a project's reach:
# a cloned repository must not be able to move, read or send away a user's memory.
TABLE: Mapping[str, Setting] = {
    "global_store": Setting(path, variables=("HARDWON_STORE",), of_project=False),
    "injection_enabled": Setting(exactly_true),
    "semantic_enabled": Setting(exactly_true),
    "injection_limit": Setting(limit, flag="--limit", in_project=limit_of_project),
    "vector_weight": Setting(weight),
    "keyword_weight": Setting(weight),
    "prominence_weight": Setting(weight),
    "embedding_provider": Setting(
        one_of(*EMBEDDING_PROVIDERS), reserved=NETWORK_EMBEDDERS.__contains__
    ),
    "embedding_model": Setting(
        model, variables=("HARDWON_EMBEDDING_MODEL", "TLC_EMBED_MODEL"), reserved=_always
    ),
    "embedding_dimensions": Setting(count, reserved=_always),
    "keyword_provider": Setting(one_of(*KEYWORD_PROVIDERS), reserved=NETWORK_LABELERS.__contains__),
    "keyword_model": Setting(model, reserved=_always),
    "keyword_search": Setting(switch),
    "workspace": Setting(name, of_project=False),
    "decay_enabled": Setting(switch),
    "decay_mode": Setting(one_of(*DECAY_MODES)),
    "decay_floor": Setting(share),
    "decay_exempt_tiers": Setting(some_of(*TIERS)),
    "trigger_phrases": Setting(phrases),
    "document_roots": Setting(folders, of_project=False),
    "default_tier": Setting(one_of(*TIERS)),
    "default_context_type": Setting(one_of(*CONTEXT_TYPES)),
    "capture_enabled": Setting(exactly_true),
    "capture_interval": Setting(from_1_to(BUFFERED)),
    "capture_boundaries": Setting(phrases),
    "context_tokens": Setting(count, flag="--token-budget"),
    "prompt_enabled": Setting(exactly_true),
    "moments_enabled": Setting(exactly_true),
    "ask_enabled": Setting(exactly_true),
    "trust": Setting(one_of(*TRUST_MODES), of_project=False),
}


def flag(field: str) -> str:
    """Return the command-line option of *field*."""
    return TABLE[field].flag or f"--{field.replace('_', '-')}"


def variables(field: str) -> tuple[str, ...]:
    """Return the environment variables of *field*, the strongest first."""
    return TABLE[field].variables or (f"HARDWON_{field.upper()}",)


def key(field: str) -> str:
    """Return the key of *field* in a project's files."""
    return f"memory_{field}"
