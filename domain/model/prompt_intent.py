"""
The intent of a prompt: help, a fact, or another piece of work.

Prompts that share words with a lesson need not be helped by it: they ask for a fact, or report what
is settled and ask for another task. Word lists in English and German.
"""

from collections.abc import Iterable
from itertools import dropwhile, pairwise
from typing import NamedTuple

from hardwon.domain.model.keywords import LONGEST_PROMPT, has_enough_terms, words_of
from hardwon.domain.model.text import split_sentences

_COMMANDS = ("/", "!", "#")
"""
Beginnings of prompts that the host handles itself.

They are its commands, the shell's, and notes to its own memory.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


_BEFORE = _words(
    """
    please can could would you just hey ok okay thanks and und now then so next also
    bitte kannst könntest du mir mal nur jetzt nun danke auf in von mit
    """
)
"""Words before the one that shows what a sentence asks."""

_ASKING = _words(
    """
    which what whats who whos whose when where is are does do did was were has have since
    print show list count display tell restart find give name look check quote search explain compare
    welche welchem welchen welcher welches wer wann wo wozu was ist sind hat haben
    zeig zeige liste zähl zähle nenn nenne gib such suche finde erkläre erklär
    """
)
_AFTER_HOW = {
    "how": _words("many much big large long old often far does do is are"),
    "wie": _words("viel viele groß lang lange alt oft heißt hoch"),
}

_ADVICE = _words(
    """
    should shall would safe best better recommend recommended allowed right clean instead prevent avoid wise alternative
    solution idea ideas
    soll sollen sollte sollten darf dürfen muss müssen würdest sicher besser empfohlen richtig sauber vernünftig
    verhindern vermeiden lösen lösung tun
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
    corrupt corrupted corrupts stale outdated oom segfault dies died deadlock deadlocks invalid garbled spam kicked
    thrown jumps drifts why problem problems trouble bug bugs again though despite yet expired expires forgets mismatch
    restarting bloating bounces gaps drops dropped inconsistent
    obwohl kaputt kaputte kaputter kaputtes fehler nicht kein keine keinen keiner nie niemals falsch falsche falschen
    hängt hängen langsam leer fehlt fehlen fehlschlägt schlägt bricht doppelt doppelte plötzlich manchmal ewig
    verschwindet verschwunden stürzt gesperrt ausgeloggt abgelehnt verweigert warum wieso trotzdem statt nichts dauert
    ständig dauernd verloren verliert abbricht abgebrochen gestorben unerwartet komisch seltsam
    problem probleme leider spät zweimal bleibt springt
    """
)
"""Words of a symptom: then the prompt asks for help."""

_FAULTS = _words(
    """
    failure failures error errors crash crashes hang hangs stuck leak leaks duplicate duplicates flaky conflict conflicts
    exception exceptions deadlock deadlocks problem problems trouble bug bugs timeout timeouts gap gaps race slow wrong
    broken missing locked block hidden stale outdated corrupt mismatch bloat spam no longer
    fehler problem probleme kaputt doppelt doppelte langsam falsch nicht keine kein mehr
    """
)
_REPAIRED = _words(
    """
    fixed repaired solved resolved closed gone green done finished works settled sorted
    behoben gelöst repariert erledigt weg grün abgeschlossen
    """
)
"""In a sentence with one of these, a word of `_FAULTS` is no symptom."""

_SETTLED = _words(
    """
    already now since meanwhile finally fine okay good correct green stable ready
    fixed switched repaired works work sorted settled solved resolved done closed merged deployed released migrated moved replaced
    changed enabled adopted passes live place smooth gone finished checked verified tested agreed decided automated
    configured active pinned longer anymore stored derived
    jetzt schon inzwischen seit seitdem gut sauber richtig korrekt grün aktiv
    behoben erledigt gelöst läuft funktioniert klappt fertig passt steht stimmt stimmen greift geprüft abgeschlossen
    umgestellt umgezogen umgebaut eingebaut eingeführt ausgerollt ersetzt
    """
)
_REQUESTS = _words(
    """
    please could can add write create make draw redraw rewrite rename export compare document describe summarize summarise
    update move publish generate find list quote show prepare sketch collect extract plan estimate translate build check
    put convert sort need want wants like set give implement draft format rework replace delete remove clean mention asks
    let lets produce render save insert append group filter highlight design shorten split merge upload download
    bitte kannst könntest mach mache schreib schreibe erstell erstelle zeichne benenne vergleich vergleiche füge bau baue
    bauen sammle liste prüf prüfe ergänz ergänze leg lege übersetz übersetze sortier sortiere brauche brauchen hätte
    hätten soll sollen führe erzeuge nimm trag setz setze ändere entferne lösche ersetze kürze formuliere fasse
    """
)
_BEGINNING = 6
"""The first words of a sentence, among which is that of a request."""

_PRODUCTS = _words(
    """
    list table page pages diagram picture chart graph script csv html pdf excel section chapter paragraph panel dashboard
    report button column columns badge footer header logo icon icons menu slides text texts wording announcement guide
    docs documentation wiki readme runbook changelog notes endpoint form template newsletter sentence sentences overview
    summary export preview colour colours color title titles mermaid sequence design screenshots brochure sample
    presentation tooltip sidebar banner tutorial plot legend illustration spreadsheet
    liste tabelle seite seiten diagramm sequenzdiagramm bild skript abschnitt kapitel bericht spalte übersicht
    zusammenfassung absatz anleitung doku dokumentation handbuch entwurf auswertung anzeige formular überschrift
    überschriften menü farbe farben folien knopf grafik vorlage
    """
)
"""Words of a piece of work that is to be made."""
_MAX_PRODUCTS = 3


class Intent(NamedTuple):
    """
    Features of a prompt that show how likely it seeks help.

    Attributes:
        asks: 1 if the first sentence begins like a question for a fact.
        concludes: 1 if the last of several does.
        continues: 1 if a sentence after the first is a request.
        products: How many words it has of a piece of work to be made, at most 3.
    """

    asks: float = 0.0
    concludes: float = 0.0
    continues: float = 0.0
    products: float = 0.0


def intent_of(prompt: str) -> Intent:
    """Return the intent of *prompt*."""
    sentences = _sentences(prompt)
    words = {word for sentence in sentences for word in sentence}
    return Intent(
        asks=float(any(map(_asks, sentences[:1]))),
        concludes=float(any(map(_asks, sentences[1:][-1:]))),
        continues=float(any(map(_requests, sentences[1:]))),
        products=float(min(len(words & _PRODUCTS), _MAX_PRODUCTS)),
    )


def is_worth_asking(prompt: str) -> bool:
    """Return whether *prompt* has enough terms, is addressed to the agent, and seeks help."""
    beginning = prompt[:LONGEST_PROMPT].lstrip()
    if beginning.startswith(_COMMANDS) or not has_enough_terms(prompt):
        return False
    return seeks_help(beginning)


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
    listed = _sentences(prompt)
    if _seeks_advice([word for sentence in listed for word in sentence]):
        return False
    sentences = iter(listed)
    return any(map(_is_settled, sentences)) and any(
        _requests(words) or _asks(words) for words in sentences
    )


def _sentences(prompt: str) -> list[list[str]]:
    """Return the words of each sentence that has any."""
    found = (words_of(text) for line in prompt.splitlines() for text in split_sentences(line))
    return [words for words in found if words]


def _is_settled(words: list[str]) -> bool:
    symptoms = _SYMPTOMS.intersection(words)
    if not _REPAIRED.isdisjoint(words):
        symptoms -= _FAULTS | _REPAIRED
    return not _SETTLED.isdisjoint(words) and not symptoms


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
