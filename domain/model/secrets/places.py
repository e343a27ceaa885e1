"""Secrets given to names without a sign."""

from hardwon.domain.model.secrets.rule import Rule, whole
from hardwon.domain.model.secrets.values import (
    KEY,
    KEY_WORDS,
    MIXED,
    NAMES_OF_PASSWORDS,
    NO_TOPIC,
    OPEN,
    ORDINARY,
    ORDINARY_OPEN,
    ORDINARY_QUOTED,
    PASSWORD,
    QUOTE,
    WORDY,
)

_QUOTED = r"[bfru@]?(\\{0,3}[\"'`])((?:(?!\1)[^\s\\]){4,300})\1"
_KEY_QUOTED = rf"[bfru@]?(\\{{0,3}}[\"'`])(?=[^\s\"'`]{{12}}){MIXED}{WORDY}((?:(?!\1)[\w+/=.~:@%!#^*\-]){{12,1000}})\1"
_STRONG = (
    r"(?=[^\s\"'`]{8})(?=[^\s\"'`]{0,60}\d)(?=[^\s\"'`]{0,60}[A-Za-z])"
    r"(?:(?=[^\s\"'`]{0,60}[!@#$%^&*])|(?=[^\s\"'`]{0,60}[A-Z])(?=[^\s\"'`]{0,60}[a-z])|(?=[a-z]{4,30}-?[a-z]{0,20}-?\d{2,8}(?![A-Za-z0-9])))"
)
"""A password that no word of a sentence looks like."""

_FEW_DIGITS = WORDY.replace(r"\d{0,3}", r"\d?")

_BLANKS = r"[ \t]{1,8}"
_PAIR = r"\\{0,3}[\"'][ ]?,[ ]?"
_BETWEEN = (
    rf"(?:{QUOTE})?(?:[\s,{{]|\\n){{1,24}}(?:(?:type|sensitive|nullable|description|ephemeral)["
    r" \t]{0,9}=[^\n]{0,80}\s{1,12}){0,3}"
    rf"(?:{QUOTE})?(?:value|default|default_value|defaultValue)(?:{QUOTE})?[ \t]{{0,9}}[:=]["
    r" \t]{0,9}"
)
"""The text between a name and its value where both are fields."""

_DEFAULT = r"\\{0,3}[\"'],[ ]?default="
_CELL = r"(?:[ \t]{0,30}(?:\*\*)?[ \t]{0,3}\|[ \t]{1,30})"
_CELL_END = r"(?=`?[ \t]{0,80}\|)"
_WORDS = r"(?:[ \t][^\s\"'`:=]{1,20})"
_SET_TO = (
    rf"(?:(?:{QUOTE})?[ \t](?:was|is|has[ ]been)?[ \t]?(?:changed|set|reset|rotated)?[ \t]?to["
    rf" \t]{{1,2}}|[ \t](?:of|for){_WORDS}{{1,3}}[ ]to[ ]|[ \t](?:di|del|de|du){_WORDS}{{1,2}}[ ](?:in|a|à|en)[ ]"
    rf"|{_WORDS}{{1,3}}[ ](?:naar|na|till?|în|на|para|σε|auf(?=[ ]\S{{8,60}}[ ](?:geändert|gesetzt)))[ ]"
    rf"|{_WORDS}{{0,3}}[ ](?:thành|menjadi|إلى)[ ]|(?:を|를|을)[ ]?"
    r"|[ \t]{1,2})(?=[\"'`]?[^\s\"'`]{0,60}\d)"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "password-declared",
        NAMES_OF_PASSWORDS,
        rf"(?:(?<=[A-Z][ \t])|(?<=[A-Z][ \t]{{2}})|(?=.[^\s\"'`]{{0,200}}[\d!@#$%^&*])){_QUOTED}",
        inside=True,
        head=(
            PASSWORD,
            rf"(?:\[\])?(?:[ \t](?:string|str|String))?{_BLANKS}(?:=[ \t])?(?=@?{QUOTE})",
        ),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "key-declared",
        KEY_WORDS,
        _KEY_QUOTED,
        inside=True,
        head=(KEY, rf"(?:\[\])?(?:[ \t](?:string|str|String))?{_BLANKS}(?:=[ \t])?(?=@?{QUOTE})"),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "environment-declared",
        "env setenv -gx setx",
        r"(?:ENV|[sS]et[eE]nv|-gx|setx)["
        r" \t]{1,4}[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)(?:_\w{1,20})?["
        r" \t]{1,4}"
        rf"(?:{QUOTE})?(?!{ORDINARY}|[/~.])((?![a-z\-]{{1,9}}[ ]){OPEN}{{4,300}})(?=[\"']?["
        r" \t]{0,4}(?:[\r\n#\\]|\Z))",
    ),
    Rule(
        "password-of-call",
        "env( env.fetch( set_var( define( setproperty(",
        rf"(?:[eE]nv\(|ENV\.fetch\(|set_var\(|define\(|setProperty\()["
        rf" ]?\\{{0,3}}[\"'][\w.]{{0,60}}?"
        rf"(?i:pass(?:word|wd|phrase)?|pwd|secret|token|key|credentials?)(?i:[_.]?\w{{0,20}}){_PAIR}(?!{ORDINARY_QUOTED}){_QUOTED}",
        inside=True,
    ),
    Rule(
        "key-pair",
        KEY_WORDS,
        rf"{_PAIR}{_KEY_QUOTED}",
        inside=True,
        head=(KEY, rf"(?={_PAIR})"),
    ),
    Rule(
        "password-option",
        NAMES_OF_PASSWORDS,
        rf"(?!{ORDINARY_QUOTED}){_QUOTED}",
        inside=True,
        head=(PASSWORD, _DEFAULT),
    ),
    Rule(
        "key-option",
        KEY_WORDS,
        rf"(?!{ORDINARY_QUOTED}){_QUOTED}",
        inside=True,
        head=(KEY, _DEFAULT),
    ),
    Rule(
        "password-method",
        NAMES_OF_PASSWORDS,
        rf"(?=.{{0,3}}[^\s\"'`]{{0,200}}[\d!@#$%^&*])(?=.{WORDY}){_QUOTED}[ ]?\)",
        inside=True,
        behind=r"(?<!get)(?<!Get)(?<!get_)(?<!read_)(?<!etch)(?<!load)(?<!find)",
        head=(PASSWORD, r"\([ ]?"),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "key-method",
        KEY_WORDS,
        rf"{_KEY_QUOTED}[ ]?\)",
        inside=True,
        behind=r"(?<!get)(?<!get_)(?<!etch)",
        head=(KEY, r"\([ ]?"),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "password-field",
        NAMES_OF_PASSWORDS,
        rf"(?:{_QUOTED}|({whole(OPEN, 6, 300)})(?![(\[{{]))",
        inside=True,
        head=(PASSWORD, _BETWEEN),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "key-field",
        KEY_WORDS,
        rf"(?:{QUOTE})?{MIXED}([\w+/=.~:\-]{{8,1000}})",
        inside=True,
        head=(KEY, _BETWEEN),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
    Rule(
        "password-cell",
        NAMES_OF_PASSWORDS,
        rf"`?(?=[^\s|`]{{0,100}}[\d!@#$%^&*\-])([^\s|`()]{{6,200}}){_CELL_END}",
        inside=True,
        head=(PASSWORD, _CELL),
        unless=rf"`?{ORDINARY}",
    ),
    Rule(
        "key-cell",
        KEY_WORDS,
        rf"`?{MIXED}{WORDY}([\w+/=.~:\-]{{12,1000}}){_CELL_END}",
        inside=True,
        head=(KEY, _CELL),
        unless=rf"`?{ORDINARY}",
    ),
    Rule(
        "password-in-sentence",
        NAMES_OF_PASSWORDS,
        rf"(?:{QUOTE})?{_STRONG}{_FEW_DIGITS}([^\s\"'`<>(){{}}\[\]]{{7,100}}[^\s\"'`<>(){{}}\[\].,:;?])",
        inside=True,
        behind=r"(?!(?i:pass)(?![A-Za-z]))",
        head=(PASSWORD, _SET_TO),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
    Rule(
        "key-in-sentence",
        KEY_WORDS,
        rf"(?:{QUOTE})?{MIXED}{WORDY}([\w+/=~\-]{{16,1000}})(?![./:])",
        inside=True,
        behind=NO_TOPIC,
        head=(KEY, _SET_TO),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
)
