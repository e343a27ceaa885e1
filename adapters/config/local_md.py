"""Settings in `.claude/iflow-dev.local.md`, read as the shell scripts around it read them."""

from collections.abc import Iterable


def read_local_md(text: str, keys: Iterable[str]) -> dict[str, str]:
    """
    Return the values of *keys*.

    Every line counts, front matter or not, and of two lines with one key the
    first. A comment (` #…`) is cut off, then all spaces go, inner ones too
    (requirements A-TD5.1, A-TD5.2; mistake M-A7). A key without a line is absent.
    """
    wanted = frozenset(keys)
    values: dict[str, str] = {}
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key in wanted:
            values.setdefault(key, value.split(" #", 1)[0].replace(" ", ""))
    return values
