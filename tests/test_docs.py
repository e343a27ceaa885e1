"""Documents name files, types, commands and verbs that are there. README's commands are run by `test_readme.py`."""

import json
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "domain",
    "ports",
    "adapters",
    "entrypoints",
    "tests",
    "bench",
    "tools",
    "examples",
    "plugin",
    "docs",
)
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS}
MAPS = [name for name in ("architecture.md", "CONTRIBUTING.md") if name in TEXTS]
OF_OTHERS = {"MATCH", "sys.modules", "memory-index.json", "__init__.py"}
"""Names that a map takes from SQL, from Python and from a user's project."""


def quoted(text: str) -> list[str]:
    """Return the code between backticks outside blocks."""
    return re.findall(
        r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    )


def in_blocks(text: str) -> list[str]:
    """Return the lines of blocks of commands."""
    blocks = re.findall(r"^```(?:sh|bash)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


CALLS = sorted({line for text in TEXTS.values() for line in (*quoted(text), *in_blocks(text))})
OUR_CALLS = [call.split() for call in CALLS if re.match(r"hardwon [a-z]+( |$)", call)]
GROUPS = {"checkpoint", "trial"}
COMMANDS = sorted({tuple(call[1:3] if call[1] in GROUPS else call[1:2]) for call in OUR_CALLS})
VERBS = sorted(
    {
        word
        for call in CALLS
        if call.startswith("make ")
        for word in call.split()[1:]
        if re.fullmatch("[a-z-]+", word)
    }
)


def paths() -> list[str]:
    """Return every file and folder of the repository."""
    inside = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if "__pycache__" not in path.parts
    ]
    return [path.relative_to(ROOT).as_posix() for path in (*ROOT.iterdir(), *inside)]


def names(repository: list[str]) -> set[str]:
    """Return the names of modules and folders, and of what modules define."""
    found = {Path(path).stem for path in repository}
    for path in repository:
        if path.endswith(".py"):
            text = (ROOT / path).read_text(encoding="utf-8")
            found |= set(
                re.findall(r"\b(?:class|def) (\w+)", text)
                + re.findall(r"^ *(\w+)(?:: | = )", text, re.MULTILINE)
            )
    return found


@pytest.mark.parametrize("document", MAPS)
def test_every_path_and_name_on_a_map_is_there(document: str) -> None:
    repository = paths()
    known = names(repository)
    missing = []
    for span in quoted(TEXTS[document]):
        place = span.rstrip("/")
        if span in OF_OTHERS or " " in span or re.search(r"[^\w./-]", span):
            continue
        is_path = any(f"/{path}".endswith(f"/{place}") for path in repository)
        is_name = re.fullmatch(r"[\w.]+", span) and place.rpartition(".")[2] in known
        if not (is_path or is_name or span in entry_points(group="console_scripts").names):
            missing.append(span)

    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_to_a_file_or_a_heading(document: str) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", TEXTS[document]):
        path, _, heading = target.partition("#")
        if re.match(r"https?:", target):
            continue
        file = (ROOT / document).parent / path if path else ROOT / document
        if not file.exists() or (
            heading and heading not in headings(file.read_text(encoding="utf-8"))
        ):
            broken.append(target)

    assert broken == []


def headings(text: str) -> set[str]:
    """Return the anchors that GitHub gives to headings."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_of_a_command_in_a_document_is_there(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["hardwon", *command, "--help"])
    [program] = entry_points(group="console_scripts", name="hardwon")
    with pytest.raises(SystemExit) as left:
        program.load()()
    output = capsys.readouterr().out
    words = [word for call in OUR_CALLS if call[1:][: len(command)] == [*command] for word in call]

    assert left.value.code == 0
    assert [
        word for word in words if word.startswith("--") and word.partition("=")[0] not in output
    ] == []


def test_the_table_of_mcp_tools_names_exactly_those_that_clients_get() -> None:
    rows = re.findall(r"^\| (`\w+`.*?) \|", TEXTS["docs/mcp.md"], re.MULTILINE)
    description = json.loads((ROOT / "entrypoints/mcp/description.json").read_text("utf-8"))
    tools = {tool["name"] for tool in description["tools"]}

    assert {name for row in rows for name in re.findall(r"`(\w+_\w+)`", row)} == tools


GUIDES = ["getting-started", "guides", "faq", "performance"]
LONGEST_SENTENCE = 30
"""Words of a sentence in a guide."""


@pytest.mark.parametrize("guide", GUIDES)
def test_no_sentence_of_a_guide_is_long(guide: str) -> None:
    prose = re.sub(
        r"```.*?```|^[|#].*?$|\]\([^)]*\)",
        "",
        TEXTS[f"docs/{guide}.md"],
        flags=re.DOTALL | re.MULTILINE,
    )
    sentences = re.split(r"(?<=[.!?:])\s+|\n(?:\n|(?=- ))", prose)

    assert [text for text in sentences if len(text.split()) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_of_make_in_a_document_is_there(verb: str) -> None:
    assert re.search(
        rf"^{verb}:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )


@pytest.mark.parametrize("call", [call for call in CALLS if call.startswith("python -m ")])
def test_every_module_that_a_document_runs_is_there(call: str) -> None:
    path = ROOT / call.split()[2].replace(".", "/")

    assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
