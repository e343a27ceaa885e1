"""Texts cut to a model's limit without its tokenizer."""

import re
from itertools import islice

PIECE = re.compile(r"[A-Za-z]{1,3}|[^\sA-Za-z]")
"""
What counts as one token: three ASCII letters, or any other character but white space.

English has about 4.4 characters a token and is cut at two thirds of the limit; code,
digits and Chinese have one or two, and Ollama since 0.13.5 answers an overlong text
with an error whatever `truncate` says (ollama/ollama#14186), so the count errs on that side.
"""


def cut_to_tokens(text: str, limit: int) -> str:
    """Return the beginning of *text* that holds at most *limit* tokens."""
    if len(text) <= limit:
        return text
    first_too_many = next(islice(PIECE.finditer(text), limit, None), None)
    return text if first_too_many is None else text[: first_too_many.start()].rstrip()
