"""
Sentences of an agent that report status, which is not knowledge.

The tables are in English and German. A named cause excuses all but the forms of the first table.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

LOOKED_AT = 600
"""Characters of a sentence that are searched."""


class StatusRule(NamedTuple):
    """
    A form of status report.

    Attributes:
        samples: Sentences that it finds.
    """

    name: str
    pattern: str
    samples: tuple[str, ...]


_LEAD = (
    r"^(?:based on [^,]{1,60}, )?(?:(?:now|next|first|so|and|but|then|ok|okay|great|good|perfect|excellent|wonderful|yes|actually"
    r"|finally|all right|alright|jetzt|nun|also|und|gut|super|perfekt|zuerst|dann)[,.!:]* ){0,3}"
)
_FIX = (
    r"(?:the|this|that|my|our|both|all|these|der|die|das|mein|unser) (?:\S{1,20} ){0,2}?"
    r"(?:fix(?:es)?|bugs?|patch|changes?|solution|issues?|implementation|code|update|build|fehler|lösung|änderung)"
)
_VERY = r"(?:(?:now|also|already|really|very|quite|thoroughly|fully|successfully|all|both|jetzt|nun|bereits) ){0,2}"
_GOOD = (
    r"(?:working|works?|correct(?:ly)?|complete[d]?|done|ready|fixed|resolved|solved|applied|addressed|implemented"
    r"|in place|live|surgical|focused|clean|elegant|good|right|effective"
    r"|successful|confirmed|tested|validated|verified|made|needed|necessary|proper(?:ly)?|safe|identical|backward\S*"
    r"|fertig|behoben|gelöst|erledigt|umgesetzt|geprüft|getestet)"
)
_EASY = r"(?:minimal|simple|small|straightforward|clear|easy|einfach|klein)"
"""Praise that may introduce the fix: `The fix is simple: sort first`."""
_WELL = (
    r"(?:,? (?:now|again|correctly|properly|perfectly|fine|well|great|too|cleanly|smoothly|locally|as (?:expected|intended|it"
    r" should|before|required)|without (?:any )?(?:errors?|issues?|problems?|warnings?)|wieder|jetzt|nun|richtig|korrekt"
    r"|einwandfrei|fehlerfrei|wie (?:erwartet|gewünscht)))"
)
_NEVER_KEPT: tuple[StatusRule, ...] = (
    StatusRule("introduces", r":\W*$", ("The fix was tested with:", "Die Ursache ist diese:")),
    StatusRule(
        "announces",
        rf"{_LEAD}(?:let me|let us|let's (?:see|check|look|verify|run|test|try|now)|(?:i'll|i will|i'm going to|i am going to) (?!use\b|go\b|take\b|keep\b|stick\b|pick\b|choose\b|adopt\b|settle\b)"
        r"|i need to|i should|i want to|i can see|i see|lass mich|lassen sie mich|ich (?:werde|schaue|sehe|prüfe|muss|teste))\b",
        (
            "Let me verify the fix is correct.",
            "Now let me look at the caller.",
            "Ich prüfe das noch einmal.",
        ),
    ),
    StatusRule(
        "ticks",
        r"^\W*[\u2713\u2714\u2705\u2611\u274c\u2717\U0001f389]",
        ("✓ unique_labels works without errors",),
    ),
    StatusRule(
        "guesses",
        r"\b(?:maybe|perhaps|probably|might (?:be|have|also|need|trigger|want)|i (?:think|suspect|guess|believe)|vielleicht|vermutlich|wahrscheinlich|ich (?:glaube|denke))\b",
        (
            "Maybe the issue is the norm.",
            "I think the issue is the order.",
            "Vermutlich liegt es am Cache.",
        ),
    ),
    StatusRule(
        "points at something",
        r"^(?:so |and |but |ok,? )?(?:this|that|it|here|there|das|hier)(?:'s| is| was| ist| war)(?: \w{2,10})? (?:the|die|der|das) (?:root |real |actual )?"
        r"(?:cause|problem|issue|bug|reason|culprit|ursache|fehler|grund)[.! ]*$"
        r"|^(?:there is|there's) (?:a|an|some) (?:caveat|note|comment|warning|remark) (?:about|in|on)\b",
        ("This is the root cause.", "There is a caveat about it in the docstring."),
    ),
    StatusRule(
        "is about a test's expectation",
        r"\b(?:tests?|specs?)(?: \w{1,20})? (?:expect(?:s|ed|ations?)?|(?:was|were|is|are) (?:based|written|designed|outdated|wrong|skipped))\b"
        r"|\btest_\w+\b[^.;]{0,40}\b(?:was|is|were) (?:skipped|passed|failed|collected)\b"
        r"|^tests? \d+ ?:|\btests?\b[^.;]{0,40}\bas expected\b",
        ("The test expects the old order.", "test_a.py::test_b was SKIPPED"),
    ),
    StatusRule(
        "names passing tests",
        r"\b(?:tests?|checks?|specs?|suite|testsuite)\b[^.;]{0,80}\b(?:pass(?:es|ed|ing)?|succeed\w*|green|runs?|laufen|grün"
        r"|bestanden|durch)\b|\b(?:passes|passed|passing) (?:all|both|the|every) (?:\S{1,20} ){0,3}tests?\b"
        r"|\b\d+ (?:passed|failed|skipped|tests?|assertions?)\b"
        r"|\b(\d{1,9}) ?(?:of|out of|von|/) ?\1\b",
        (
            "All 49 tests pass.",
            "The whole suite is green now.",
            "Alle Tests sind grün.",
            "Jetzt 18 von 18, lokal wie im Container.",
        ),
    ),
)
"""Forms that make a status report of a sentence whatever else it says."""

_EXCUSABLE: tuple[StatusRule, ...] = (
    StatusRule(
        "names failing tests",
        r"\b(?:tests?|checks?|specs?|builds?)\b[^.;]{0,60}\b(?:fail(?:s|ed|ing|ures?)?|broken|errors?|red|rot|schlagen fehl)\b",
        ("Two tests still fail.", "The build is failing."),
    ),
    StatusRule(
        "praises the fix",
        rf"{_LEAD}{_FIX}\b (?:\S{{1,40}} ){{0,3}}?(?:is|was|are|were|has been|have been|looks|seems|appears|should be|ist|sind|wurde) "
        rf"{_VERY}(?:{_GOOD}\b|{_EASY}\b(?! ?[:\u2013\u2014-] ?\w))",
        (
            "The fix is working.",
            "The fix is minimal, focused, and keeps compatibility.",
            "The fix was thoroughly tested in three scenarios.",
            "The fix is working - the line is gone.",
            "Der Fehler ist jetzt behoben.",
        ),
    ),
    StatusRule(
        "is about the fix",
        rf"{_LEAD}(?:the|this|that|der|die|das) (?:\w{{2,15}} )?(?:fix|patch|change|solution|implementation|approach|lösung|änderung)\b"
        rf" (?!(?:is|was|ist|war) (?:simply |just |then )?(?:to\b|zu\b|(?!working)\w{{3,20}}ing\b|{_EASY}\b)|here\b|for\b)\w",
        (
            "The fix is consistent with other parts of the code.",
            "The fix maintains the existing behaviour.",
            "The fix is in lib/figure.py.",
        ),
    ),
    StatusRule(
        "says that nothing fails",
        r"\b(?:can|could|now|allows?|works?|runs?|compiles?|builds?|loads?|finish(?:es|ed)|completes?|saved|is|are)\b[^.;]{0,80}\bwithout (?:any |an |raising )?(?:errors?|warnings?|issues?|problems?|exceptions?)"
        r"[.! ]*$",
        (
            "The operation can be applied again without errors.",
            "The HTML build finishes without warnings.",
        ),
    ),
    StatusRule(
        "says that it works",
        rf"\b(?:works?|worked|working|functions|funktioniert|läuft|klappt|geht)(?: es| alles)?{_WELL}{{0,3}}[.! ]*$"
        r"|\b(?:ensures?|guarantees?|makes? sure) (?:that )?(?:the|this|my|our) (?:fix|change|patch)\b",
        ("It works.", "The script works now as expected!", "Jetzt läuft es wieder."),
    ),
    StatusRule(
        "says what it does now",
        r"\b(?:now|jetzt|nun) (?:(?:also|correctly|properly|successfully|korrekt|richtig) )?"
        r"(?:works?|runs?|returns?|handles?|raises?|gives?|produces?|shows?|behaves?|supports?|accepts?|uses?|compiles?|builds?"
        r"|prints?|passes|includes?|checks?|generates?|displays?)\b|\b(?:correctly|properly|successfully) \w{2,20}(?:s|ed|ing)\b",
        ("cos(1) now returns 0.54 without errors", "The cache now uses a set."),
    ),
    StatusRule(
        "says that something was found",
        rf"{_LEAD}(?:i|we|ich|wir)(?:'ve| have| habe| haben)?(?: \w{{2,10}}){{0,2}}? (?:found|identified|located|understand|understood|see|confirmed"
        r"|reproduced|pinpointed|know|gefunden|verstanden)\b(?: \S{1,30}){0,5}"
        r"(?: (?:root )?(?:cause|issue|problem|bug|culprit|fix|reason|ursache|fehler))?[.! ]*$"
        r"|\b(?:ursache|fehler|problem|grund) gefunden[.! ]*$",
        ("I found the root cause!", "I've now identified the issue.", "Fehler gefunden!"),
    ),
    StatusRule(
        "names a place only",
        r"\b(?:issue|bug|problem|cause|error|fix|change|fehler|ursache|it|this)(?:'s| is| was| lies| are| ist| liegt) (?:\w{3,10} )?(?:in|at|on|inside|within|around|near)"
        r" (?:(?:the|line|lines|file|method|function|class|module|code|der|die|das|zeile|datei) )*\S{1,80}"
        r"(?: (?:at|on|in|of|around|method|function|class|file|module|lines?|code|zeile|[\d,:-]{1,20}|\S{0,60}[./(]\S{0,60})){0,6}[.! ]*$",
        (
            "Root Cause: The issue was in /lib/figure.py lines 2419-2431.",
            "The bug is in the parse() method of reader.py.",
        ),
    ),
    StatusRule(
        "confirms",
        r"\b(?:confirm(?:s|ed|ing)?|verif(?:y|ies|ied)|validat(?:e|es|ed)|demonstrat(?:e|es|ed)|shows?|proves?|bestätigt|zeigt)\b[^.;]{0,60}"
        r"\b(?:fix|works?|working|correct|change|lösung|funktioniert)\b",
        ("The test shows the fix is working.", "This confirms that the change is correct."),
    ),
    StatusRule(
        "is about its own draft",
        r"(?<![\w'\"./])(?:my|mein(?:e|em|er|en)?) (?!machine\b|laptop\b|computer\b|analysis\b|knowledge\b|understanding\b)\w",
        ("The issue is that my MockExists class lacks a method.",),
    ),
    StatusRule(
        "echoes what was stored",
        r"^(?:remembered|stored|saved|noted|gemerkt|gespeichert|notiert)\b|\b(?:saved|stored|written) (?:it |that |this )?(?:to|in|into)"
        r" (?:the )?(?:project )?(?:memory|memories)\b|\bi(?:'ve| have)? (?:remembered|noted|stored|saved) (?:it|that|this)\b",
        ("Remembered: the feed is one day behind.", "I've saved that."),
    ),
)
"""Forms that a named cause excuses."""

_DEEDS: tuple[StatusRule, ...] = (
    StatusRule(
        "reports a deed",
        rf"{_LEAD}(?:i|we)(?:'ve| have| just)?(?: now| also| already| just| successfully){{0,2}} (?:fixed|implemented|added|updated"
        r"|completed|verified|tested|modified|resolved|created|changed|made|applied|run|ran|removed|replaced|refactored|checked)\b"
        r"|\bsuccessfully\b|\berfolgreich\b",
        ("I've successfully added the method.", "I updated the docstring."),
    ),
    StatusRule(
        "labels a deed",
        r"^(?:the )?(?:fix(?:ed)?|solution|changes?|lösung)\b[^:\u2013\u2014]{0,60} ?[:\u2013\u2014-] ?(?:i )?(?:\w{2,20}ed|made|geändert|ergänzt)\b"
        r"|^(?:fixed|added|updated|changed|modified|moved|wrapped|replaced|removed)\b",
        ("Fix: Added a condition in reader.py.", "Changed line 12 of reader.py"),
    ),
)
"""Changes. They belong to the cause before them, and say little alone."""

_CAUSE = re.compile(
    r"\b(?:because|due to|caused by|only (?:if|when|while|with|in|on)|unless|since (?:the|it|its|a|an)\b|weil|nur (?:wenn|mit)|wegen"
    r"|the (?:root |real |actual )?(?:cause|reason|culprit) (?:is|was)|(?:that|which) is why)\b"
)


def _any_of(rules: tuple[StatusRule, ...]) -> Callable[[str], bool]:
    patterns = tuple(re.compile(rule.pattern) for rule in rules)
    return lambda line: any(pattern.search(line) for pattern in patterns)


RULES = (*_NEVER_KEPT, *_EXCUSABLE, *_DEEDS)
_is_never_kept, _is_excusable, _is_deed = map(_any_of, (_NEVER_KEPT, _EXCUSABLE, _DEEDS))


def reports_status(sentence: str) -> bool:
    """
    Return whether an agent's *sentence* only says how far the work is.

    Examples:
        >>> reports_status("The fix is working correctly."), reports_status("Let me run the tests.")
        (True, True)
        >>> reports_status("The root cause was that the cache key lacks the locale.")
        False
    """
    line = _line(sentence)
    return _is_never_kept(line) or (_CAUSE.search(line) is None and _is_excusable(line))


def reports_deed(sentence: str) -> bool:
    """
    Return whether an agent's *sentence* only says what was changed.

    Examples:
        >>> reports_deed("Fix: Added a condition in reader.py."), reports_deed("The fix is to sort first.")
        (True, False)
    """
    line = _line(sentence)
    return _CAUSE.search(line) is None and _is_deed(line)


def _line(sentence: str) -> str:
    text = sentence if len(sentence) <= LOOKED_AT else sentence[:LOOKED_AT] + sentence[-1:]
    return text.lower().replace("\u2019", "'").strip("*_ ")
