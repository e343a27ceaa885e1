"""Write the table of docs/configuration.md from the table of settings: `make generated`."""

from pathlib import Path

from hardwon.adapters.config.table import TABLE, key, variables
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.cli.console import shown

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"
HEAD = "| key in the project's file | in the environment | default | meaning |\n|---|---|---|---|\n"

BY_DEFAULT = Settings(global_store="")

DEFAULTS = {
    "global_store": "`~/.claude/iflow/memory`",
    "embedding_model": "the provider's",
    "embedding_dimensions": "the model's",
    "keyword_model": "the provider's",
    "capture_enabled": "where `init` ran",
    "workspace": "the folder above the project",
    "document_roots": "none",
}
"""Defaults that are worked out, in words."""

MEANINGS = {
    "injection_enabled": "`false`: the hook prints nothing",
    "semantic_enabled": (
        "`false`: the block is made from the markdown files alone; the store is neither read nor"
        " written"
    ),
    "injection_limit": "the maximum number of learnings",
    "vector_weight": "weight of the semantic score",
    "keyword_weight": "weight of the keyword score",
    "prominence_weight": "weight of the track record",
    "embedding_provider": (
        "see [providers](providers.md); a project's file can name `auto`, `local`, `off` or the"
        " provider that you named"
    ),
    "embedding_model": "the embedding model",
    "embedding_dimensions": "required for models that hardwon does not know",
    "keyword_provider": (
        "the labeler: `auto`, `haiku` (`ANTHROPIC_API_KEY`), `ollama`, `claude` (only the agent), `off`;"
        " a project's file can't name `haiku` or `ollama`"
    ),
    "keyword_model": "the model for labels",
    "decay_enabled": "`false`: documents do not decay with age",
    "decay_mode": "`rates`: each tier decays at its own daily rate",
    "decay_floor": "the lowest factor of an old document",
    "decay_exempt_tiers": "tiers that do not decay",
    "default_tier": "the tier of a new document that names none",
    "default_context_type": "the context type of a new document that names none",
    "capture_enabled": (
        "`true` or `false`: conversations of the project are kept or not; default: see"
        " [conversations](conversations.md)"
    ),
    "capture_interval": "exchanges between two writes, 1 to 20",
    "capture_boundaries": "commands that begin a new subject",
    "context_tokens": "token budget of related conversations at session start",
    "prompt_enabled": "`false`: nothing is injected beside a prompt",
    "moments_enabled": "`false`: nothing is injected when a command fails, or a file is opened or edited",
    "ask_enabled": "`false`: the agent is not asked to keep what repaired a command that failed several times",
    "trigger_phrases": "phrases by which you ask to remember the present work",
    "workspace": "the folder of projects, or a name of your own",
    "trust": (
        "whose lessons are shown in other projects: `own`: of projects that you committed to or"
        " trusted; `ask`: only of those that you trusted"
    ),
    "global_store": "the folder of the store, a whole path, or the address of a server, `postgresql://…`",
    "document_roots": "more folders with documents, separated by `:`",
    "keyword_search": "`false`: search as on a SQLite without FTS5",
}
"""The last column, in the order of the page."""


def table() -> str:
    """Return the table as markdown."""
    return HEAD + "".join(f"{_row(field)}\n" for field in MEANINGS)


def page() -> str:
    """Return the page with its table made again."""
    text = PAGE.read_text(encoding="utf-8")
    begin = text.index(HEAD)
    end = text.find("\n\n", begin)
    return text[:begin] + table() + (text[end + 1 :] if end >= 0 else "")


def _row(field: str) -> str:
    setting = TABLE[field]
    always_reserved = setting.reserved is not None and setting.reserved("a model of any name")
    of_file = f"`{key(field)}`" if setting.of_project and not always_reserved else ""
    default = DEFAULTS.get(field) or f"`{shown(getattr(BY_DEFAULT, field))}`"
    return f"| {of_file} | `{variables(field)[0]}` | {default} | {MEANINGS[field]} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"Wrote the table of {PAGE.name}")
