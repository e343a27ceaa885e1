"""
Git asked in a way in which it starts no other program, whatever the repository's own files say.

A folder that was unpacked from an archive brings its `.git` along, and with it settings that
name programs: monitors, hooks, filters, transports. Standard library only.
"""

import os
from collections.abc import Mapping, Sequence

from hardwon.adapters.git.program import find_git, surroundings

# Of git's own variables only those that say where git and the user's configuration
# are. GIT_DIR and its like would make a hook that was started from inside another
# git hook look at that repository; others would change what is printed.
KEPT_VARIABLES = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
)
LED_ASTRAY = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH")
"""Those that name programs, or files that do: never a place in the project."""

SETTINGS = (
    "core.fsmonitor=",  # empty, as a git before 2.36 would run a program called false
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",  # a folder of the work tree can't pass for a repository
)
NO_CONVERSATION = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # a git before 2.44 does not know the line above and would fetch what is missing
}

FILTERS = ("config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|process)$")
"""Asks for the programs that files go through before they are compared."""

FILTERS_TOLD = (0, 1)  # some; none


class UnsafeRepositoryError(ValueError):
    """Git can't be kept from running what this repository names."""


def git_command(
    project_root: str, search_path: str, arguments: Sequence[str], settings: Sequence[str] = ()
) -> list[str]:
    """
    Return the command that runs git in *project_root*.

    Args:
        project_root: A folder inside the repository.
        search_path: Where to look for git.
        arguments: The subcommand and all that follows.
        settings: More of them, as `name=value`.

    Raises:
        FileNotFoundError: there is no git that can be trusted.
        ValueError: *project_root* can't be a path.

    """
    named = [part for setting in (*SETTINGS, *settings) for part in ("-c", setting)]
    program = find_git(project_root, search_path)
    return [program, "--no-pager", "--no-optional-locks", "-C", project_root, *named, *arguments]


def git_environment(project_root: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return of *variables* those that git may see, none of which leads it into the project."""
    around = surroundings(project_root)
    kept = {name: value for name, value in variables.items() if name in KEPT_VARIABLES or name[:4] != "GIT_"}
    safe = {name: value for name, value in kept.items() if name not in LED_ASTRAY or around.trusts(value)}
    return {**safe, "PATH": around.trusted(variables.get("PATH", os.defpath)), **NO_CONVERSATION}


def changes(revisions: str) -> list[str]:
    """Return the question which files differ between *revisions*."""
    quiet = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--no-relative")
    # The last dashes keep a file that is named like the range from being taken for it.
    return ["diff", "--name-only", "-z", *quiet, revisions, "--"]


def commit_times(revisions: str) -> list[str]:
    """Return the question when the commits of *revisions* were made, in seconds since 1970."""
    # Showing signatures would run a program that the repository's settings name.
    return ["log", "-z", "--no-show-signature", "--no-notes", "--format=%ct", revisions, "--"]


def without_filters(code: int, names: bytes, most: int) -> list[str]:
    """
    Return the settings that switch off the filters of a repository.

    Args:
        code: How `FILTERS` ended.
        names: What it answered.
        most: So many names may have been cut off.

    Raises:
        UnsafeRepositoryError: they are not told, there are more, or one can't be named.

    """
    if code not in FILTERS_TOLD:
        raise UnsafeRepositoryError(f"asked for the repository's filters, it ended with code {code}")
    drivers = {os.fsdecode(name).rpartition(".")[0] for name in names.split(b"\0")[:-1]}
    if names.count(b"\0") >= most or any("=" in driver for driver in drivers):
        raise UnsafeRepositoryError(f"its filters can't be switched off: more than {most // 2}, or odd names")
    off = ("clean=", "process=", "required=false")
    return [f"{driver}.{setting}" for driver in sorted(drivers) for setting in off]
