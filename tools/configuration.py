"""Write the table of docs/configuration.md from the table of settings: `make generated`."""

from pathlib import Path

from hardwon.adapters.config.reader import TABLE, key, variables
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
    "injection_limit": "how many learnings at most",
    "vector_weight": "weight of meaning",
    "keyword_weight": "weight of keywords",
    "prominence_weight": "weight of the track record",
    "embedding_provider": (
        "see above; in a project's file only `auto`, `local`, `off` or what you named"
    ),
    "embedding_model": "the embedding model",
    "embedding_dimensions": "needed for models that hardwon does not know",
    "keyword_provider": (
        "who makes labels: `auto`, `haiku` (`ANTHROPIC_API_KEY`), `ollama`, `claude` (the agent"
        " alone), `off`; in a project's file not `haiku`, not `ollama`"
    ),
    "keyword_model": "the model for labels",
    "decay_enabled": "`false`: age does not tell on documents",
    "decay_mode": "`rates`: each tier ages at a daily rate of its own",
    "decay_floor": "what is left of the oldest document",
    "decay_exempt_tiers": "tiers that never age",
    "default_tier": "of a new document that names none",
    "default_context_type": "likewise",
    "capture_enabled": (
        "`true`: conversations are kept while they go on, `false`: they are not; else where `init`"
        " ran, by the plugin, and as before"
    ),
    "capture_interval": "after so many exchanges what was said is written, 1 to 20",
    "capture_boundaries": "commands that begin a new subject",
    "context_tokens": "how much room related conversations get at session start",
    "prompt_enabled": "`false`: nothing is put beside a prompt",
    "trigger_phrases": "what you say to have the work at hand remembered",
    "workspace": "the folder of projects, by its name or one of your own",
    "trust": (
        "which projects' lessons are shown in others: `own`, those that you committed to or"
        " trusted; `ask`, only those that you trusted"
    ),
    "global_store": "the folder of the store, or the address of a server, `postgresql://…`",
    "document_roots": "more folders with documents, with `:` between",
    "keyword_search": "`false` searches as on a SQLite without FTS5",
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
