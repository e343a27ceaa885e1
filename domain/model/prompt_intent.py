"""
Prompts that share words with a lesson, and seek no help.

They ask for a fact, or report what is settled and ask for another task. Word lists in English and
German.
"""

from collections.abc import Iterable
from itertools import dropwhile, pairwise

from hardwon.domain.model.keywords import words_of
from hardwon.domain.model.plain_text import split_sentences


def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


_BEFORE = _words(
    "please can could you bitte kannst du mir mal hey ok okay and und now then so auf in von mit"
)
"""Words before the one that shows what a sentence asks."""

_ASKING = _words(
    """
    which what whats who whos whose when where is are does do did was were has have
    print show list count display tell restart
    welche welchem welchen welcher welches wer wann wo zeig zeige liste zähl zähle nenn nenne ist sind hat haben
    """
)
_AFTER_HOW = {
    "how": _words("many much big large long old often far does do is are"),
    "wie": _words("viel viele groß lang lange alt oft heißt hoch"),
}

_ADVICE = _words(
    """
    should shall safe best better recommend recommended allowed
    soll sollen sollte sollten darf dürfen muss müssen sicher besser empfohlen
    """
)
_CHOOSING = _words("is are do did have can may must could")
_CHOOSERS = _words("i we there")
"""After a word of `_CHOOSING`, they ask what to do, or what was decided."""

_SYMPTOMS = _words(
    """
    fail fails failed failing failure error errors crash crashes crashed hang hangs hung hanging stuck slow slower wrong
    wrongly broken break breaks broke missing lost lose loses empty never not no cannot nothing don won doesn didn isn
    aren wasn hasn couldn stop stops stopped refuse refuses refused reject rejects rejected denied leak leaks leaking
    nan undefined duplicate duplicated duplicates twice suddenly sometimes disappear disappears disappeared vanish
    ignore ignores ignored exit exits exited killed flaky hidden block blocks blocked locked conflict conflicts grow
    grows growing forever exception exceptions traceback panic panics although weird strange odd unexpected unable
    corrupt corrupted stale outdated oom segfault dies died deadlock deadlocks invalid garbled spam kicked thrown jumps
    drifts why
    obwohl kaputt kaputte kaputter kaputtes fehler nicht kein keine keinen keiner nie niemals falsch falsche falschen
    hängt hängen langsam leer fehlt fehlen fehlschlägt schlägt bricht doppelt plötzlich manchmal ewig verschwindet
    verschwunden stürzt gesperrt ausgeloggt abgelehnt verweigert warum wieso trotzdem statt nichts dauert
    """
)
"""Words of a symptom: then the prompt asks for help."""


_SETTLED = _words(
    """
    already now since meanwhile finally fine okay good correct green
    fixed switched repaired works work settled solved resolved done closed merged deployed released migrated moved replaced
    changed enabled adopted passes live
    jetzt schon inzwischen seit gut sauber richtig korrekt grün aktiv
    behoben erledigt gelöst läuft funktioniert fertig passt steht umgestellt umgezogen eingebaut eingeführt ausgerollt ersetzt
    """
)
_REQUESTS = _words(
    """
    please could add write create make draw redraw rewrite rename export compare document describe summarize summarise
    update move publish generate find list quote show prepare sketch collect extract plan estimate translate build check
    bitte kannst könntest mach mache schreib schreibe erstell erstelle zeichne benenne vergleich vergleiche füge bau baue sammle liste prüf prüfe
    """
)
_BEGINNING = 6
"""The first words of a sentence, among which is that of a request."""


def seeks_help(prompt: str) -> bool:
    """Return whether a lesson may help with *prompt*."""
    return not (asks_for_a_fact(prompt) or goes_on_to_another_task(prompt))


def asks_for_a_fact(prompt: str) -> bool:
    """
    Return whether *prompt* only asks for a fact, or to print one.

    >>> asks_for_a_fact("which helm version is installed?")
    True
    >>> asks_for_a_fact("which helm version should we install?")
    False
    >>> asks_for_a_fact("list the pods, since one of them hangs")
    False
    """
    sentences = _sentences(prompt)
    if not sentences or not _asks(sentences[0]):
        return False
    words = [word for sentence in sentences for word in sentence]
    return _SYMPTOMS.isdisjoint(words) and not _seeks_advice(words)


def goes_on_to_another_task(prompt: str) -> bool:
    """
    Return whether *prompt* reports what is settled, and then asks for something.

    >>> goes_on_to_another_task("The cookie is HttpOnly now. Please redraw the picture of the login.")
    True
    >>> goes_on_to_another_task("The cookie is HttpOnly. Please redraw the picture of the login.")
    False
    """
    sentences = iter(_sentences(prompt))
    return any(map(_is_settled, sentences)) and any(map(_requests, sentences))


def _sentences(prompt: str) -> list[list[str]]:
    """Return the words of each sentence."""
    return [words_of(text) for line in prompt.splitlines() for text in split_sentences(line)]


def _is_settled(words: list[str]) -> bool:
    return not _SETTLED.isdisjoint(words) and _SYMPTOMS.isdisjoint(words)


def _requests(words: list[str]) -> bool:
    return not _REQUESTS.isdisjoint(words[:_BEGINNING])


def _asks(words: Iterable[str]) -> bool:
    first, second, *_ = (*dropwhile(_BEFORE.__contains__, words), "", "")
    return first in _ASKING or second in _AFTER_HOW.get(first, ())


def _seeks_advice(words: list[str]) -> bool:
    choices = pairwise(words)
    return not _ADVICE.isdisjoint(words) or any(
        first in _CHOOSING and second in _CHOOSERS for first, second in choices
    )
