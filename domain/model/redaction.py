"""Secrets and private passages go before anything is stored or sent."""

import re

import attrs

from hardwon.domain.model.entry import Entry

REDACTED = "[REDACTED]"

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)

_SECRETS = re.compile(
    r"""
      -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\Z)
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b                            # AWS access key id
    | \bgh[pousr]_[A-Za-z0-9]{36,} | \bgithub_pat_\w{22,}
    | \bglpat-[\w-]{20,}                                       # GitLab
    | \bsk-[\w-]{20,}                                          # OpenAI, Anthropic
    | \b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}                   # Stripe
    | \bAIza[\w-]{35}                                          # Google
    | \bxox[abeoprs]-[\w-]{10,}                                # Slack
    | \bnpm_[A-Za-z0-9]{36} | \bpypi-[\w-]{50,} | \bhf_[A-Za-z0-9]{30,}
    | \beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}                 # JSON web token
    """,
    re.DOTALL | re.VERBOSE,
)

_VALUES = re.compile(
    r"""
      (?P<bearer>\bBearer\ ) [\w.~+/-]{20,}=*
    | (?P<url>\b[a-z][a-z0-9+.-]*://[^\s/:@]+:) [^\s/@]+ (?=@)
    | (?P<password>\b(?:password|passwd|pwd|secret)["']?\s{0,3}[:=]\s{0,3}["']?)
      (?=[^\s"'`]*\d) [^\s"'`()<>\[\]]{8,}
    | (?P<token>\b(?:api[_-]?key|access[_-]?key|auth[_-]?token|token)["']?\s{0,3}[:=]\s{0,3}["']?)
      (?=[^\s"'`]*\d) [\w+/-]{20,}=*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Secrets known by what stands before them; the named group is kept."""


def redact(text: str) -> str:
    """
    Return *text* with `<private>` passages cut out and secrets replaced by `[REDACTED]`.

    Known key formats, private keys, credentials in URLs and values given to
    a password, secret, token or key are secrets. Redacting twice changes nothing more.
    """
    public = _SECRETS.sub(REDACTED, _without_private(text))
    return _VALUES.sub(lambda found: f"{found[found.lastgroup or 0]}{REDACTED}", public)


def _without_private(text: str) -> str:
    cut = _PRIVATE.sub("", text)
    return text if cut == text else _without_private(cut)  # a cut can join the halves of another tag


def redact_entry(entry: Entry) -> Entry:
    """
    Return *entry* with every text redacted; its id follows its description.

    Raises:
        InvalidEntryError: nothing is left of a text that must not be blank.
    """
    return attrs.evolve(
        entry,
        name=redact(entry.name),
        description=redact(entry.description),
        reasoning=redact(entry.reasoning),
        notes=redact(entry.notes),
        keywords=tuple(map(redact, entry.keywords)),
        references=tuple(map(redact, entry.references)),
    )
