"""
Norms: sentences of the user on how things are always to be done.

A norm has a word that makes it last (`always`, `in this repo`), and a form that asks for
something. A report is none: `it always fails here`. The tables are in English and German.
"""

import re

_FAULT = re.compile(
    r"\b(?:fail\w*|crash\w*|breaks?|broken?|errors?|hangs?|slow|empty|null|nan|wrong|missing|lost|gone|stuck|flaky|time(?:d|s)? ?outs?"
    r"|(?:gets?|got|shows?|saw|seen|had|was|were|happen(?:s|ed)?|yesterday|still|any ?more|[45]\d\d)"
    r"|rot|geht|kaputt|läuft|fehl(?!ermeldung)\w*|leer|langsam|hängt|falsch|gestern|noch)\b"
)
"""Words of a report."""

_OURS = r"(?:in (?:this|our|dieser|diesem|unserem) (?:project|repo|repository|code|codebase|team|company|projekt|team))"
_LASTS = (
    rf"(?:always|never|ever|by default|next time|from now on|in future|in the future|in general|as a rule|{_OURS}"
    r"|immer|nie|niemals|ab sofort|künftig|in zukunft|nächstes mal|grundsätzlich|generell|bei uns)"
)
_HERE = rf"(?:here|everywhere|hier|überall|{_LASTS})"
_VERB = (
    r"(?:add|answer|ask|avoid|be|call|check|commit|delete|deploy|do|document|don't|do not|edit|explain|export|format|force|give|go|import|include|keep"
    r"|leave|let|log|make|merge|mock|name|open|pin|prefer|push|put|read|rebase|release|reply|respond|review|round|run|say|send|ship|show|speak"
    r"|split|squash|stop|store|tell|test|touch|treat|update|use|wait|want|wrap|write)"
)
_FILLER = r"(?:(?:and|but|so|also|btw|oh|ok|okay|yes|please|by the way|for the record|und|bitte|ach ja)[,:]? ){0,3}"
_ASKS = (
    rf"(?:we|please|bitte|no|not|keine?|everything|every|all|each|nobody|only|always|never|{_VERB})"
)

_NORM = re.compile(
    rf"^{_FILLER}(?:(?!from now on){_LASTS}(?:,? (?=(?:\S+ )?{_ASKS}\b)| ?: ?(?=\S+ \S))|(?:house |one )?rules?(?: here)? ?: ?(?=\S+ \S))"
    rf"|(?:^{_FILLER}|[,;] (?:and |but |und |aber )?(?:please )?)(?:always|never(?:,? ever,?)?) {_VERB}\b"
    rf"|^{_FILLER}{_VERB} (?=.*\b{_LASTS}\b)"
    rf"|^{_FILLER}{_VERB} (?=.*\bhere, not\b)"
    r"|\bask (?:me )?(?:first )?before you\b|\bwithout asking(?: me)?\b|\bohne rückfrage\b|\b(?:vorher|erst) fragen\b"
    rf"|\b(?:we|wir) (?:prefer\b|{_LASTS} {_VERB}\b|(?:only |don't |do not |never |always )?{_VERB}\b(?=.*(?:\b{_HERE}\b|, (?:not|never) ))(?!.*\bin .{{0,40}} place\b))"
    r"|\b(?:our|the|my) (?:(?:coding |house )?(?:convention|rule|style|style guide|policy|standard|habit))s? (?:here )?(?:is|are|says|wants|forbids)\b"
    r"|\b(?:must|should|may|have to|has to) (?:always|never|only)\b"
    rf"|\b(?:is|are|be|stay|stays|go|goes) (?:always|never) (?=.*\b(?:here|{_OURS})\b)"
    r"|\b(?:always|never) (?:go|goes|belongs?|lives?|stays?|gets?)\b"
    rf"|\b(?:go|goes|belongs?|lives?|stays?) (?=.*(?:\b{_HERE}, not\b|\b{_OURS}\b))"
    rf"|\b(?:gehören|gehört|kommen|kommt|heißen|heißt|schreiben|wollen|nehmen|machen|benutzen|verwenden|mögen) (?:bei uns|wir (?:hier |bei uns )?(?:grundsätzlich |generell )?(?:nicht|keine?|immer|nie|niemals|grundsätzlich)(?!.*\bvergessen\b))\b"
    r"|^(?:no|one|only|every|each|kein\w*) \S.*,? ?\b(?:always|ever|no exceptions|immer|ohne ausnahme)[.!]*$"
    r"|\b(?:that|this)(?:'s| is) how (?:i|we) (?:work|do|write|name|keep|handle)\b"
    rf"|\b(?:that|this)(?:'s| is) how (?:we|all|our|everything|things)\b(?=.*\b(?:here|{_OURS})\b)"
    rf"|\b(?:when|whenever|each time|every time) you(?! (?:are|have|get|can|find|want|like|think|finish|need|see|could)\b) (?:\S{{1,40}} ){{1,10}}?(?:please |then )?(?:only|always|never|{_VERB})\b"
    rf"|^{_FILLER}(?:note|rule|convention|remember) for (?:all|every|any) \S[^:]{{0,60}}: ?\S"
    r"|^(?!.*\b(?:falla|funciona|va|sale|est|sont|marche|plante|échoue|erreurs?)\b)"
    r"(?:(?:y |pero )?(?:siempre|nunca|jamás) \w+[aeos]\b|.*\b(?:toujours|jamais) (?:en|dans|avec|sans|de|d'|un|une)\b)"
    r"|\bbitte (?:\S{1,30} )?(?:immer|nie|niemals)\b|^immer erst\b|\bich (?:will|möchte|mag) (?:hier )?keine? \w"
    r"|\bi (?:hate|dislike|can't stand) (?!this|that|these|those|it\b|to\b)\w+s\b"
)


def norm_in(line: str) -> re.Match[str] | None:
    """
    Return the norm in *line*, which is in lower case, None without one.

    Examples:
        >>> norm_in("use pnpm in this repo") is None, norm_in("it always fails in this repo") is None
        (False, True)
    """
    return None if _FAULT.search(line) else _NORM.search(line)
