"""
Build the documents as a site into `site/`, by Zensical.

Run `make docs`. A link to nothing is an error.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "site"
OF_ROOT = {
    "README.md": "index.md",
    "SECURITY.md": "security.md",
    "architecture.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "licence.md",
    "NOTICE": "notice.md",
}
"""Documents beside the folder `docs`, with their names in the site."""

NAV = (
    ("hardwon", "index.md"),
    ("Getting started", "getting-started.md"),
    ("Guides by goal", "guides.md"),
    ("Everyday use", "everyday.md"),
    ("At the moment", "moments.md"),
    ("The page", "view.md"),
    ("Conversations", "conversations.md"),
    ("MCP server", "mcp.md"),
    ("How ranking works", "ranking.md"),
    ("Embedding providers", "providers.md"),
    ("Configuration", "configuration.md"),
    ("Forgetting and privacy", "forgetting.md"),
    ("Projects and trust", "trust.md"),
    ("Teams", "teams.md"),
    ("A store on a server", "postgres.md"),
    ("Export", "export.md"),
    ("Troubleshooting", "troubleshooting.md"),
    ("Questions", "faq.md"),
    ("Other memories", "peers.md"),
    ("Performance", "performance.md"),
    ("Quality", "quality.md"),
    ("Measurements of speed", "measurements.md"),
    ("Measurements of quality", "measurements-of-quality.md"),
    ("Imports", "imports.md"),
    ("Security", "security.md"),
    ("Architecture", "architecture.md"),
    ("Decisions", "decisions/README.md"),
    ("Contributing", "contributing.md"),
    ("Changes", "changelog.md"),
)

CONFIGURATION = """[project]
site_name = "hardwon"
docs_dir = "docs"
site_dir = "site"
use_directory_urls = false
nav = [
{nav}
]

[project.theme]
font = false
"""

LINK = re.compile(r"(\]\()([^)\s:#]+)([)#])")


def write_sources(folder: Path) -> None:
    """Copy all documents into *folder*, with links between them."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    for name, page in OF_ROOT.items():
        text = LINK.sub(
            lambda found: f"{found[1]}{in_site(found[2])}{found[3]}",
            (ROOT / name).read_text(encoding="utf-8"),
        )
        (folder / "docs" / page).write_text(text, encoding="utf-8")
    for path in (folder / "docs").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(
            LINK.sub(lambda found: f"{found[1]}{from_docs(found[2])}{found[3]}", text),
            encoding="utf-8",
        )
    nav = "\n".join(f'  {{ "{title}" = "{page}" }},' for title, page in NAV)
    (folder / "zensical.toml").write_text(CONFIGURATION.format(nav=nav), encoding="utf-8")


def in_site(target: str) -> str:
    """Return where a link of a document beside `docs` leads in the site."""
    return OF_ROOT.get(target, target.removeprefix("docs/"))


def from_docs(target: str) -> str:
    """Return where a link of a document in `docs` leads in the site."""
    return OF_ROOT.get(target.removeprefix("../"), target) if target.startswith("../") else target


def main() -> None:
    """
    Build it.

    End with what Zensical says is wrong.
    """
    with tempfile.TemporaryDirectory() as name:
        write_sources(Path(name))
        program = Path(sys.executable).parent / "zensical"
        done = subprocess.run(
            [program, "build", "--strict"], cwd=name, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}")
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(Path(name) / "site", SITE)
    print(f"Wrote {sum(1 for _ in SITE.rglob('*.html'))} pages to {SITE.name}/")


if __name__ == "__main__":
    main()
