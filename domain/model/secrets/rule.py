"""A rule that finds secrets of one kind."""

from typing import NamedTuple

_NAME_END = r"""\\{0,3}["'`]?\]?[ \t]{0,3}"""
_ASSIGNED = (
    rf"""(?i:(?:(?<=_key)|(?=[\w .\-]{{0,24}}?(?:key|token|secret|auth|api|pass|pwd|pat|id|hash|dsn|credential|login|hook)))[\w .\-]{{0,24}}{_NAME_END}"""
    r"""(?:=>|:=|\?=|:|=(?!=)|,|>)[ \t]{0,3}\\{0,3}["'`]?"""
    rf"""|[\w.\-]{{0,24}}{_NAME_END}(?:(?:=>|:=|\?=|=(?!=))[ \t]{{0,3}}\\{{0,3}}["'`]?|[:,>][ \t]{{0,3}}\\{{0,3}}["'`]))"""
)
"""
The rest of a name, the sign after it and an opening quote.

`sonar fix: 9f86d08…` is none.
"""


class Rule(NamedTuple):
    r"""
    A rule that finds secrets of one kind.

    Attributes:
        name: Unique in the table.
        words: Substrings, in lower case and separated by blanks: every match begins at one of them.
            `·` stands for a blank.
        pattern: Of ASCII; matched where a word stands. The last group that took part is the secret,
            without a group the whole match. It reads a bounded number of characters.
        before: How many characters before the word the match begins.
        inside: Whether the match may begin inside a run of letters and digits; otherwise it begins
            after another character, or after an escape sequence such as `\n`, `%3D` or a colour of
            the terminal.
        backwards: Whether *pattern* is matched against the reversed text before the word, which
            then is the secret.
        head: Patterns matched first, one after the other; *pattern* begins where the last one ends.
            Rules share them; if one does not match, what follows is not compiled.
        unless: Must not match where the head ends.
        behind: Must match where the match begins: what may be before it. Tested after the head,
            which rules share.
        shortest: How many characters a match has at least, none of them a blank; 0 if a blank may
            be among them.
    """

    name: str
    words: str
    pattern: str
    before: int = 0
    inside: bool = False
    backwards: bool = False
    head: tuple[str, ...] = ()
    unless: str = ""
    behind: str = ""
    shortest: int = 0


SHORTEST_TOKEN = 13
"""Characters of the shortest token with its own form."""


def token(
    name: str, words: str, pattern: str, before: int = 0, shortest: int = SHORTEST_TOKEN
) -> Rule:
    """
    Return the rule of a token with its own form.

    No letter or digit follows it.
    """
    return Rule(
        name=name,
        words=words,
        pattern=rf"(?:{pattern})(?![A-Za-z0-9])",
        before=before,
        shortest=shortest,
    )


def named(name: str, words: str, value: str) -> Rule:
    """
    Return the rule of a token without a form of its own.

    It is assigned to a name with a vendor's word in it. Case does not matter, and the value has a
    digit.
    """
    return Rule(
        name,
        words,
        rf"(?i:{words.replace(' ', '|')}){_ASSIGNED}(?=[^\s\"'`]{{0,90}}\d)((?i:{value}))(?![\w\-])",
        inside=True,
    )


def whole(character: str, least: int, most: int) -> str:
    """
    Return the pattern of an atomic run of *character*.

    Of a longer run it matches the first *most*. Possessive quantifiers would say it, but Python
    3.11.0 to 3.11.4 matches them wrongly (gh-101955).

    Examples:
        >>> import re
        >>> re.match(whole("[a-z]", 2, 4) + "(?!=)", "ab="), re.match(whole("[a-z]", 2, 4), "abcdef")[0]
        (None, 'abcd')

    """
    return rf"(?:{character}{{{least},{most - 1}}}(?!{character})|{character}{{{most}}})"
