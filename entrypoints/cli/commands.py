"""The commands, where they are defined, and words that mean them."""

from collections.abc import Mapping
from typing import NamedTuple

NAME = "hardwon"
PACKAGE = "hardwon.entrypoints.cli"
COMPLETING = "_HARDWON_COMPLETE"
"""Set in the environment by a shell that completes commands."""


class Command(NamedTuple):
    """
    Where a command is defined.

    Attributes:
        module: In this package; its `NAME_EXAMPLES`, if any, end the help of command NAME. Its
            `NAME_TASKS` has options that are a task of their own, with those that go with them.
    """

    module: str
    function: str
    summary: str


class Group(NamedTuple):
    """Commands under one name."""

    commands: Mapping[str, Command]
    summary: str


SECTIONS: Mapping[str, Mapping[str, Command | Group]] = {
    "Every day": {
        "recall": Command("recall", "recall", "Search the memory in your own words."),
        "search": Command("recall", "recall", "The same as recall."),
        "add": Command("add", "add", "Keep a lesson."),
        "remember": Command(
            "conversations", "remember", "Keep a text or the last exchanges for good."
        ),
        "list": Command("entries", "list_entries", "List entries, the newest first."),
        "show": Command("entries", "show", "Show one entry with all its data."),
        "view": Command("view", "view", "Open the memory in the browser."),
        "why": Command("why", "why", "Show what was injected into sessions, and why."),
        "moment": Command("moment", "moment", "Show what would be said when a command fails."),
        "pause": Command("pause", "pause", "Go off the record: store and inject nothing."),
        "resume": Command("pause", "resume", "End the pause."),
    },
    "Memory": {
        "edit": Command("edit", "edit", "Correct the text of an entry."),
        "update": Command(
            "change", "update", ("Change title, tier, labels and other data of an entry.")
        ),
        "review": Command("review", "review", "Review what waits for your decision."),
        "validate": Command("change", "validate", "Record whether an entry was useful."),
        "delete": Command("change", "delete", "Delete entries. History and checkpoints keep them."),
        "forget": Command("forget", "forget", "Erase entries or texts for good, and prove it."),
        "save": Command("files", "save", "Keep a session, found by its description."),
        "capture": Command(
            "conversations", "capture", ("Capture the conversation of a transcript.")
        ),
        "index": Command("files", "index", "Index markdown files."),
        "watch": Command("files", "watch", "Index files whenever they change."),
        "import": Command(
            "transfer", "import_knowledge", ("Import an export, a knowledge bank or an index.")
        ),
        "export": Command("export", "export", "Write the whole memory to a file."),
        "project": Group(
            {
                "list": Command(
                    "project", "list_projects", "List the projects that the store knows."
                ),
                "show": Command(
                    "project", "show_project", "Show what the store knows of a project."
                ),
                "merge": Command("project", "merge", "Move all entries of one project to another."),
                "move": Command(
                    "project", "move", ("Name the new folder of a project that was moved.")
                ),
            },
            "Show projects, merge them, and follow moved ones.",
        ),
        "trust": Command("trust", "trust", "Show a project's lessons in all of yours."),
    },
    "Upkeep": {
        "stats": Command("stats", "stats", "Show counts, search methods and settings."),
        "doctor": Command(
            "doctor", "doctor", "Check the installation, the store and the settings."
        ),
        "embed": Command("embed", "embed", "Make missing vectors."),
        "label": Command("embed", "label", "Add keyword labels to entries without any."),
        "eval": Command("evaluate", "evaluate", "Measure the quality of answers."),
        "trial": Group(
            {
                "on": Command("trial", "trial_on", "Withhold a share of the lessons."),
                "off": Command("trial", "trial_off", "End the trial."),
                "status": Command("trial", "trial_status", "Show whether a trial runs."),
            },
            "Withhold some lessons, to see what they change.",
        ),
        "lift": Command("trial", "lift", "Compare what a trial showed and withheld."),
        "store": Group(
            {
                "copy": Command("store", "copy", "Copy a store between files and servers."),
                "status": Command("store", "status", "Show the server that keeps the store."),
                "migrate": Command("store", "migrate", "Make or update the tables on a server."),
                "add-member": Command("store", "add", "Let a login role use the store."),
                "remove-member": Command("store", "remove", "Take a login role's access away."),
            },
            "Keep the store on a PostgreSQL server.",
        ),
        "backup": Command("transfer", "backup", "Copy the whole store to a file."),
        "restore": Command("transfer", "restore", "Restore the store from a backup."),
        "checkpoint": Group(
            {
                "create": Command("checkpoint", "create", "Save the present state."),
                "list": Command(
                    "checkpoint", "list_checkpoints", "Show all checkpoints, the newest first."
                ),
                "restore": Command("checkpoint", "restore", "Restore the state of a checkpoint."),
                "delete": Command(
                    "checkpoint", "delete", ("Delete a checkpoint and its snapshot.")
                ),
            },
            "Save the state of the store, and restore it.",
        ),
    },
    "Agents": {
        "init": Command("init", "init", "Give your agents a memory: hooks, tools, commands."),
        "context": Command("context", "context", "Show what a session start would print."),
        "retro": Group(
            {
                "write": Command(
                    "retro", "write", ("Keep its lessons in the knowledge bank and the store.")
                ),
                "review": Command(
                    "retro", "review", ("Show older lessons that it may confirm or contradict.")
                ),
                "confirm": Command("retro", "confirm", "Count one more observation of a lesson."),
                "promote": Command("retro", "promote", "Show a lesson in every project."),
            },
            "Keep lessons of a retrospective, and review older ones.",
        ),
        "demo": Command("demo", "demo", "Show what hardwon does, on a sample project."),
    },
}
"""The commands in the order of the help, under its headings."""

COMMANDS: Mapping[str, Command | Group] = {
    name: command for commands in SECTIONS.values() for name, command in commands.items()
}

SYNONYMS: Mapping[str, str] = {
    **dict.fromkeys(("ask", "find", "query"), "recall"),
    **dict.fromkeys(("new", "learn", "write"), "add"),
    **dict.fromkeys(("remove", "rm"), "delete"),
    **dict.fromkeys(("change", "set"), "update"),
    **dict.fromkeys(("get", "cat"), "show"),
    **dict.fromkeys(("ls", "browse"), "list"),
    **dict.fromkeys(("scan", "sync", "reindex"), "index"),
    **dict.fromkeys(("status", "info", "config", "settings"), "stats"),
    **dict.fromkeys(("check", "health", "repair"), "doctor"),
    **dict.fromkeys(("setup", "install", "uninstall"), "init"),
    **dict.fromkeys(("explain", "history"), "why"),
    **dict.fromkeys(("page", "ui", "web", "dashboard"), "view"),
}
"""Words that other programs use, with our command."""
