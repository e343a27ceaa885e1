"""The words of a question that ask for a memory, and say nothing of what it is about."""

import re

_WHO = r"(?:i|we|you)"
_ADVERB = r"(?:(?:ever|last|first|already|just|recently|previously|actually)\s+)?"
_DEED = (
    r"(?:(?:work(?:ed|ing)?|talk(?:ed)?|sp(?:eak|oke)|writ(?:e|ten)|wrote|learn(?:ed|t)?|hear(?:d)?|th(?:ink|ought)|deal(?:t)?|decide(?:d)?"
    r"|look(?:ed)?|run|ran|do|did|done|sa(?:y|id)|know|knew)\s+(?:on|about|of|with|at|into|for|regarding)"
    r"|discuss(?:ed)?|mention(?:ed)?|bring\s+up|brought\s+up|deal(?:t)?\s+with|remember|touch(?:ed)?|see|saw|seen)"
)
_AUXILIARY = r"(?:did|do|have|had|has|were|was|are)"

_FRAMES = tuple(
    re.compile(pattern + r"\s+", re.IGNORECASE)
    for pattern in (
        r"(?:please|hey|hi|so|and|ok(?:ay)?),?",
        r"(?:can|could|would)\s+you\s+(?:please\s+)?(?:tell\s+me|remind\s+me|show\s+me|find|list|recall)(?:\s+(?:of|about))?",
        r"(?:do\s+you\s+)?(?:remember|recall)(?=\s+(?:when|where|how|why|what|who|which|the)\b)",
        r"(?:tell|remind|show)\s+(?:me|us)(?:\s+(?:of|about|everything\s+about|all\s+about))?",
        rf"(?:when|where|how|why|what|who|which)\s+{_AUXILIARY}\s+{_WHO}\s+{_ADVERB}{_DEED}",
        rf"{_AUXILIARY}\s+{_WHO}\s+{_ADVERB}{_DEED}",
        r"(?:is|are|was|were)\s+there\s+(?:anything|something)\s+(?:about|on)",
        r"(?:anything|everything|something|notes?|memor(?:y|ies))\s+(?:we\s+(?:know|have)\s+)?(?:about|on)",
    )
)


def without_frame(question: str) -> str:
    """
    Return *question* without the words before its subject: `when did I work on authentication?` asks for `authentication?`.

    A question that is nothing but a frame stays as it is.
    """
    rest, found = question.strip(), True
    while found:
        found = False
        for frame in _FRAMES:
            shorter = frame.sub("", rest, count=1) if frame.match(rest) else rest
            if shorter.strip(" ?!.") and shorter != rest:
                rest, found = shorter, True
    return rest if rest.strip(" ?!.") else question
