"""
Run the scenarios: `python -m tests.golden [--write] [SCENARIO ...]`.

With `--write` their output becomes the expected texts.
"""

import sys
import time
from pathlib import Path

from tests.golden.play import playing
from tests.golden.scenarios import SCENARIOS

EXPECTED = Path(__file__).with_name("expected")


def played(name: str) -> str:
    """Return the text of a scenario."""
    with playing(name) as play:
        SCENARIOS[name](play)
        return play.text()


def main() -> None:
    """Run the scenarios that the arguments name, or all."""
    is_written = "--write" in sys.argv
    for name in [word for word in sys.argv[1:] if word != "--write"] or SCENARIOS:
        began = time.monotonic()
        text, file = played(name), EXPECTED / f"{name}.txt"
        same = file.is_file() and file.read_text(encoding="utf-8") == text
        if is_written:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        sys.stdout.write(
            f"{name}: {'same' if same else 'other'}, {text.count(chr(10) + '$ ')} runs, {time.monotonic() - began:.1f} s\n"
        )


if __name__ == "__main__":
    main()
