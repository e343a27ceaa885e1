"""
Write the pictures of the documents.

Run `make generated PART=pictures`. Pages are taken by Chromium, terminals by rich, both of one sample store.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page
from rich.console import Console
from rich.text import Text

from hardwon.examples.make_sample import make_sample
from tests.browser.chromium import chromium

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
BIN = Path(sys.executable).parent
COLUMNS = 110
FONT = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""
Rich's font comes from another host.

The reader's own will do.
"""

MAX_LINES = 34
EVENT = {"session_id": "sample"}
COMMAND = "python src/stream.py in/names.csv"
ERROR = (
    "Exit code 1\nUnicodeDecodeError: 'utf-8' codec can't decode byte 0xc3 in position 65535:"
    " unexpected end of data"
)
ASKED = "the import of names.csv stops half way, can you see why?"
QUESTION = "a feed has a record without its closing quote: do we stop or read on?"
EVENTS: Sequence[Mapping[str, object]] = (
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": ASKED},
    {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": COMMAND},
        "error": ERROR,
    },
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": COMMAND},
        "tool_response": {"stdout": "40,112 records", "stderr": "", "interrupted": False},
    },
    {"hook_event_name": "UserPromptSubmit", "prompt": QUESTION},
)
"""The sample session: a prompt, a failure, its repair, another prompt."""

PAGES = {
    "memory": "memory?q=a+file+in+an+unknown+encoding",
    "session": "session?id=sample",
    "topics": "topics",
    "time": "time",
}
TERMINALS = {
    "block": ["hardwon-hook", "--project-root", ".", "--limit", "6"],
    "recall": ["hardwon", "recall", "broken records", "--in", "conversations", "--explain"],
    "why": ["hardwon", "why"],
    "forget": ["hardwon", "forget", "--yes", "A detector that is right for 98 files of 100"],
}


class Sample:
    """The sample project, remembered, with one session."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "feeds"
        self.environment = {
            "HOME": str(folder),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": str(COLUMNS),
            "OLLAMA_HOST": "127.0.0.1:9",
            "HARDWON_INJECTION_LIMIT": "4",  # the failure's lesson is not among them
        }
        make_sample(self.project)
        for command in (["import"], ["index"]):
            self.run(["hardwon", *command])
        for event in EVENTS:
            self.run(["hardwon-hook"], json.dumps({**EVENT, "cwd": str(self.project), **event}))

    def run(self, command: list[str], stdin: str = "") -> str:
        """Return what a program prints."""
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.replace(str(self.project.parent), "~")

    @contextmanager
    def served(self) -> Iterator[str]:
        """
        Serve the page.

        Yield the address that it printed.
        """
        command = [str(BIN / "hardwon"), "view", "--no-open"]
        with subprocess.Popen(
            command, cwd=self.project, env=self.environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield next(iter(process.stdout or [""])).removeprefix("hardwon view: ").strip()
            finally:
                process.terminate()


def take_pages(sample: Sample) -> None:
    """Take each page, as a user sees it at first."""
    with chromium() as browser, sample.served() as address:
        if browser is None:
            sys.exit("there is no Chromium here: make browser installs one")
        page = browser.new_context(viewport={"width": 1200, "height": 780}).new_page()
        page.goto(address)
        page.wait_for_url(address.partition("?")[0])
        base = page.url
        for name, path in PAGES.items():
            page.goto(base + path)
            hide_store(page)
            page.screenshot(path=IMAGES / f"{name}.png")


def hide_store(page: Page) -> None:
    """Show the store's usual folder instead of that of the sample."""
    page.evaluate("document.querySelector('.store').textContent = '~/.claude/iflow/memory'")


def record_terminals(sample: Sample) -> None:
    """Record what commands print."""
    for name, command in TERMINALS.items():
        lines = sample.run(command).splitlines()
        shown = [
            f"$ {' '.join(command)}",
            *lines[:MAX_LINES],
            *(["…"] if len(lines) > MAX_LINES else []),
        ]
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            console = Console(record=True, width=COLUMNS, file=nowhere)
            console.print(Text("\n".join(shown)))
            svg = console.export_svg(title=command[0], unique_id=f"hardwon-{name}")
        (IMAGES / f"{name}.svg").write_text(FONT.sub("", svg), encoding="utf-8")


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sample = Sample(Path(folder))
        take_pages(sample)
        record_terminals(sample)
    print(f"Wrote {', '.join(sorted(os.listdir(IMAGES)))} to {IMAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
