"""What a lesson without a name is called."""

import re

from hardwon.domain.model.describing.titling import titled

MOST_WORDS = 8
FEWEST_WORDS = 3
_CLAUSE_END = re.compile(
    r"[.!?:;,](?= |$)|(?= (?:because|since|so that|which|when|while|where|if|unless|but)\b| \(| (?:[\u2013\u2014]|--?) )"
)


def made_name(text: str) -> str:
    """
    Return the first clause of *text*, at most its first 8 words: short, as the text stands below it.

    What is cut within a clause ends in `…`; a clause has at least three words.
    """
    line = " ".join(text.split())
    begun = " ".join(line.split(" ")[:MOST_WORDS])
    clauses = (begun[: end.start()] for end in _CLAUSE_END.finditer(begun))
    clause = next((each for each in clauses if each.count(" ") + 1 >= FEWEST_WORDS), None)
    return titled([clause or (begun if begun == line else f"{begun}…")], [], "")
