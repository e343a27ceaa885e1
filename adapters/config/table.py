"""Every setting, one line each: its rule and the names it goes by."""

from collections.abc import Mapping
from typing import NamedTuple

from hardwon.domain.model.conversation.capture_rules import BUFFERED
from hardwon.domain.model.setting_rules import (
    Rule,
    count,
    exactly_true,
    folders,
    from_1_to,
    limit,
    limit_of_project,
    model,
    model_of_known_host,
    name,
    one_of,
    path,
    phrases,
    share,
    some_of,
    switch,
    weight,
)
from hardwon.domain.model.settings import EMBEDDING_PROVIDERS, KEYWORD_PROVIDERS
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, DECAY_MODES, TIERS


class Setting(NamedTuple):
    """
    A setting and where it may stand.

    Attributes:
        rule: How its text is read.
        flag: The command-line option, by default `--` and the field's name.
        variables: Environment variables, the first that is set counts; by default `HARDWON_` and the name.
        of_project: Whether a file of the project may set it, as `memory_` and the name.
        in_project: How its text is read there, where that is narrower.

    """

    rule: Rule
    flag: str = ""
    variables: tuple[str, ...] = ()
    of_project: bool = True
    in_project: Rule | None = None


# The store, hosts, base URLs and keys stay out of a project's reach: a cloned
# repository must not be able to move or read a user's memory.
TABLE: Mapping[str, Setting] = {
    "global_store": Setting(path, variables=("HARDWON_STORE",), of_project=False),
    "injection_enabled": Setting(exactly_true),
    "semantic_enabled": Setting(exactly_true),
    "injection_limit": Setting(limit, flag="--limit", in_project=limit_of_project),
    "vector_weight": Setting(weight),
    "keyword_weight": Setting(weight),
    "prominence_weight": Setting(weight),
    "embedding_provider": Setting(one_of(*EMBEDDING_PROVIDERS)),
    "embedding_model": Setting(
        model, variables=("HARDWON_EMBEDDING_MODEL", "TLC_EMBED_MODEL"), in_project=model_of_known_host
    ),
    "embedding_dimensions": Setting(count),
    "keyword_provider": Setting(one_of(*KEYWORD_PROVIDERS)),
    "keyword_model": Setting(model, in_project=model_of_known_host),
    "keyword_search": Setting(switch),
    "workspace": Setting(name),
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
