"""A project with configuration files."""

from collections.abc import Callable
from pathlib import Path

from hardwon.adapters.config.reader import read_settings
from hardwon.domain.model.settings import ResolvedSettings, Settings

LOCAL_MD = ".claude/iflow-dev.local.md"
DEFAULTS = Settings(global_store="/home/u/.claude/iflow/memory")
HOME = {"HOME": "/home/u"}


def write(root: Path, **files: str | bytes) -> None:
    """Write `local_md`, `tlc` and `config`."""
    names = {"local_md": LOCAL_MD, "tlc": ".tlc.json", "config": "config.jsonc"}
    for name, text in files.items():
        path = root / names[name]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def resolve(
    root: Path,
    environ: dict[str, str] | None = None,
    flags: dict[str, str] | None = None,
    named: Callable[[str], str | None] = lambda _: None,
) -> ResolvedSettings:
    return read_settings(str(root), HOME | (environ or {}), flags or {}, named)
