"""Forms of secrets, drawn by vendor, place and name, and ordinary text like them."""

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from bench.quality.secret_places import (
    AROUND_LINES,
    ASSIGNED,
    BASIC,
    COMMANDS,
    HEADERS,
    KEY_BLOCKS,
    SQL,
    TOKENS_ALONE,
    URLS,
)
from bench.quality.secret_tokens import BY_NAME, OWN_FORM, filled

HALVES = {"dev": 20_261_125, "held": 71_828_459}
"""
The seeds of both halves.

Rules are chosen on misses of the first half, never of the second.
"""

PASSWORD_NAMES = (
    "password", "db password", "database password", "admin password", "root password", "smtp password", "redis password", "user password", "mysql root password",
    "postgres password", "keystore password", "ldap bind password", "passwd", "user passwd", "db pass", "smtp pass", "pwd", "db pwd", "passphrase", "key passphrase",
    "client secret", "app secret", "jwt secret", "session secret", "webhook secret", "cookie secret", "secret", "shared secret", "secret key", "django secret key",
    "oauth client secret", "proxy password", "wifi password", "sudo password", "ftp pass", "mail password", "rabbitmq default pass", "credentials password",
)  # fmt: skip
KEY_NAMES = (
    "api key", "api token", "access token", "auth token", "token", "bot token", "refresh token", "private token", "encryption key", "signing key", "secret access key",
    "stripe api key", "github token", "service api key", "deploy token", "storage account key", "access key", "master key", "id token", "client token", "ci job token",
    "registry token", "sendgrid api key", "openai api key", "maps api key", "private key id", "account key", "session token", "bearer token", "webhook token", "license key",
)  # fmt: skip
WORDS = (
    "sunshine dragon copper harbor winter falcon meadow orchid pepper silver thunder violet walnut"
    " amber bridge castle ember forest glacier hunter".split()
)
PLACEHOLDERS = (
    "${DB_PASSWORD}", "{{ db_password }}", "<password>", "your-password-here", "********", "%s", "%(password)s", "...", "[REDACTED]", "${{ secrets.TOKEN }}",
)  # fmt: skip
"""Values in place of a secret where there is none."""


class Form(NamedTuple):
    """A text with one secret, and from what kind and place it was drawn."""

    kind: str
    place: str
    text: str
    secret: str


Drawn = tuple[str, str, str]
"""The place, the text and the secret of a form."""


class Kind(NamedTuple):
    """How often forms of a kind are drawn, and how."""

    weight: int
    make: Callable[[random.Random], Drawn]


def draw(seed: int, count: int) -> list[Form]:
    """Draw *count* forms."""
    chance = random.Random(seed)
    drawn = chance.choices([*KINDS], [kind.weight for kind in KINDS.values()], k=count)
    return [Form(kind, *KINDS[kind].make(chance)) for kind in drawn]


def draw_ordinary(seed: int, count: int) -> list[str]:
    """
    Draw *count* texts in which names of secrets have no secret.

    They have a placeholder, a variable or nothing.
    """
    chance = random.Random(seed)
    return [_referring(chance) for _ in range(count)]


def _referring(chance: random.Random) -> str:
    place = _place(ASSIGNED, chance)[1]
    return place_in(
        place, chance.choice((*PASSWORD_NAMES, *KEY_NAMES)), chance.choice(PLACEHOLDERS)
    )


def _place(places: dict[str, tuple[str, ...]], chance: random.Random) -> tuple[str, str]:
    language = chance.choice([*places])
    return language, chance.choice(places[language])


def place_in(place: str, name: str, value: str) -> str:
    """Return *place* with *value*, its name written as its language does."""
    words = name.split()
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    styles = {
        "U": "_".join(words).upper(), "s": "_".join(words), "c": camel, "P": "".join(word.capitalize() for word in words), "k": "-".join(words),
        "d": "app." + ".".join(words) if len(words) > 1 else "spring.datasource." + name, "H": "-".join(word.capitalize() for word in words), "w": name, "v": value,
    }  # fmt: skip
    return re.sub("<([UscPkdHwv])>", lambda found: styles[found[1]], place)


def password(chance: random.Random, *, plain: bool) -> str:
    """
    Return a password as people and generators choose them.

    A *plain* one may be a word.
    """
    word, other = chance.sample(WORDS, 2)
    styles = [
        lambda: f"{word}{chance.randint(10, 9999)}",
        lambda: f"{word.capitalize()}{chance.randint(1950, 2026)}!",
        lambda: (
            f"{word.capitalize().replace('a', '@').replace('e', '3')}{chance.choice('!#%')}{chance.randint(1, 99)}"
        ),
        lambda: f"{word}-{other}-{chance.randint(1, 99)}",
        lambda: filled("{A16}", chance),
        lambda: filled("{A12}", chance),
        lambda: filled("{A5}!{A4}%{A5}", chance),
        lambda: filled("{h32}", chance),
        lambda: filled("{b43}=", chance),
        lambda: filled("{w24}", chance),
        lambda: filled("{A3}^{A3}*{A4}", chance),
    ]
    words = [lambda: f"{word}{other}", lambda: f"{word}-{other}", lambda: f"{word}_{other}"]
    return chance.choice(styles + words if plain else styles)()


def _with_password(chance: random.Random) -> Drawn:
    language, place = _place(ASSIGNED, chance)
    value = password(chance, plain=language not in {"prose", "log", "markdown"})
    return (language, place_in(place, chance.choice(PASSWORD_NAMES), value), value)


def _with_key(chance: random.Random) -> Drawn:
    language, place = _place(ASSIGNED, chance)
    value = filled(
        chance.choice(
            (
                "{h32}",
                "{h40}",
                "{A32}",
                "{A24}",
                "{w43}",
                "{b43}=",
                "{h64}",
                "{u0}",
                "{A40}",
                "{A20}",
            )
        ),
        chance,
    )
    return (language, place_in(place, chance.choice(KEY_NAMES), value), value)


def _of_vendor(chance: random.Random) -> Drawn:
    language, place = _place(ASSIGNED, chance)
    name = chance.choice([*BY_NAME])
    value = filled(chance.choice(BY_NAME[name]), chance)
    return (language, place_in(place, name, value), value)


def _of_own_form(chance: random.Random) -> Drawn:
    vendor = chance.choice([*OWN_FORM])
    value = filled(chance.choice(OWN_FORM[vendor]), chance)
    language, place = _place(TOKENS_ALONE if chance.random() < 0.5 else ASSIGNED, chance)
    secret = _secret_part(value)
    return (f"{language}, {vendor}", place_in(place, chance.choice(KEY_NAMES), value), secret)


def _secret_part(value: str) -> str:
    """
    Return the part of a token that is secret.

    It is its longest run without signs of addresses.
    """
    return (
        max(re.split(r"[/=;&]", value.removesuffix("/")), key=len)
        if re.match("https:|Acc|sv=", value)
        else value
    )


def _in(places: tuple[str, ...], values: tuple[str, ...] = ()) -> Callable[[random.Random], Drawn]:
    """Return how to draw a place with a value, or with a password."""

    def make(chance: random.Random) -> Drawn:
        value = filled(chance.choice(values), chance) if values else password(chance, plain=True)
        place = chance.choice(places)
        return place, place.replace("<v>", value), value

    return make


def _private_key(chance: random.Random) -> Drawn:
    block, (place, (before, after)) = (
        chance.choice(KEY_BLOCKS),
        chance.choice([*AROUND_LINES.items()]),
    )
    body = [filled("{b64}", chance) for _ in range(chance.randint(3, 12))] + [
        filled("{b38}==", chance)
    ]
    lines = [f"-----BEGIN {block}-----", *body, f"-----END {block}-----"]
    cut = chance.random()
    lines = lines[:-1] if cut < 0.15 else lines[1:] if cut < 0.25 else lines
    return (place, "".join(f"{before}{line}{after}" for line in lines), body[1])


KINDS = {
    "password": Kind(24, _with_password),
    "key": Kind(16, _with_key),
    "vendor's name": Kind(6, _of_vendor),
    "token": Kind(26, _of_own_form),
    "header": Kind(6, _in(HEADERS, ("{A32}", "{h40}", "{w43}", "{h32}", "{u0}", "{b43}="))),
    "basic": Kind(2, _in(BASIC, ("{b8}", "{b11}=", "{b16}", "{b22}==", "{b28}"))),
    "command": Kind(5, _in(COMMANDS)),
    "statement": Kind(3, _in(SQL)),
    "address": Kind(7, _in(URLS)),
    "private key": Kind(5, _private_key),
}
"""The kinds of forms, by their names."""

LONG = 12
"""A secret longer than this is left when only its edges are gone."""


def is_left(form: Form, text: str) -> bool:
    """Return whether the secret of *form* is in *text*, or all but its edges."""
    return form.secret in text or (len(form.secret) > LONG and form.secret[3:-3] in text)
