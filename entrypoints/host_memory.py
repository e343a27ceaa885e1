"""The folder of Claude Code's own memory of a project."""

import os
from collections.abc import Mapping

from hardwon.adapters.agents.table import CLAUDE_CODE
from hardwon.adapters.git.process import main_work_tree
from hardwon.adapters.markdown.instructions import INDEX, host_memory_folder


def host_memory(environ: Mapping[str, str], project_root: str) -> str:
    """Return that folder, which need not be there: all folders and work trees of a repository share one."""
    config = CLAUDE_CODE.settings_folder(environ, os.path.expanduser("~"))
    return host_memory_folder(config, main_work_tree(project_root))


def count_facts(folder: str) -> int:
    """Return how many facts such a folder holds."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sum(name.endswith(".md") and name != INDEX for name in names)
