"""Where Claude Code keeps what it remembers of a project by itself."""

import os
from collections.abc import Mapping

from hardwon.adapters.git.process import main_work_tree
from hardwon.adapters.markdown.instructions import host_memory_folder


def host_memory(environ: Mapping[str, str], project_root: str) -> str:
    """Return that folder, which need not be there: all folders and work trees of a repository share one."""
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return host_memory_folder(config, main_work_tree(project_root))
