"""Texts as git leaves them where two branches changed the same lines."""


def conflict(ours: str, theirs: str, base: str | None = None, end: str = "\n") -> str:
    """Return both sides between markers; with a *base* as `merge.conflictStyle=diff3` does it."""
    middle = f"||||||| 1234567{end}{base}{end}" if base is not None else ""
    return (
        f"<<<<<<< HEAD{end}{ours}{end}{middle}======={end}{theirs}{end}>>>>>>> feature/parser{end}"
    )
