"""Values of passwords, secrets, tokens and keys, known by their names."""

from hardwon.domain.model.secrets.rule import Rule, whole

QUOTE = r"\\{0,3}[\"'`]"
_MORE = (
    r"(?:[_.\-]?(?:access)?[_.\-]?(?:key|token)(?:[_.\-]?base)?|[_.\-]?(?:value|v?\d{1,2}|prod\w{0,7}|dev\w{0,8}|stag\w{0,4}|live|test|qa|old|new"
    r"|confirm\w{0,6}|again|plain|text|raw|default|admin\w?|root|db))?"
)
"""Parts that may follow a word in a name whose value stays a secret."""

_NO_VERDICT = (
    r"(?<!(?<![\w\-.])(?-i:PASS)(?=:[ \t]))(?<!:[ ]pass)(?<!\][ ]pass)(?<!\)[ ]pass)"
    r"(?!:[ \t]{1,3}(?:\d{1,9}(?!\w)|[\w.\-]{1,60}/|test|[\w\-]{1,60}\.[a-z]{1,4}\b))"
)
"""`PASS: name` and its like are outcomes of tests."""


def _cased(pattern: str) -> str:
    """Return *pattern* for both cases of its letters that are not of ASCII."""
    return "".join(
        letter if letter.isascii() or letter.upper() == letter else f"[{letter}{letter.upper()}]"
        for letter in pattern
    )


_OF_LANGUAGES = {
    "wachtwoord": r"wachtwoord(?:en)?",  # Dutch
    "lösenord": r"lösenord(?:et)?",  # Swedish
    "losenord": r"losenord(?:et)?",
    "passord": r"passord(?:et)?",  # Norwegian
    "adgangskode": r"adgangskoden?",  # Danish
    "kodeord": r"kodeord(?:et)?",
    "hasł": r"hasł(?:o|a|u|em)",  # Polish
    "haslo": r"haslo",
    "hesl": r"hesl(?:om?|a|u|em)",  # Czech, Slovak
    "şifre": r"(?<!de)ş(?:i|İ)fre(?:s(?:i|İ)|m|n(?:i|İ)z|m(?:i|İ)z|y(?:i|İ))?",  # Turkish
    "sifre": r"(?<!de)sifre(?:si|m|niz|miz|yi)?",
    "parol": (
        r"(?<![a-z])parol(?:as(?:\u0131|i)|an(?:\u0131|i)z|ay(?:\u0131|i)|am?|ă|ei)"  # Turkish, Romanian
        r"(?=[^\n]{0,80}\d)"  # an Italian word
    ),
    "salasana": r"salasana(?:n[ai]?|a|ksi|lla|mme)?",  # Finnish
    "jelsz": r"jelsz(?:óval|ót?|av(?:am?|ad|unk)|o)",  # Hungarian
    "κωδικ": r"κωδικ(?:ός?|ού|ος)(?:[ ]πρόσβασης|(?=[^\na-z]{0,12}[a-z]))",  # Greek; also of a code
    "συνθηματικ": r"συνθηματικ(?:ό|ού)",
    "khẩu": r"(?<=mật[ _])khẩu",  # Vietnamese
    "khau": r"(?:(?<=mat[ _])|(?<=mat))khau",
    "sandi": r"(?:(?<=kata[ _])|(?<=kata))sandi(?:nya)?",  # Indonesian
    "d'ordine": r"(?<=parola[ ])d'ordine",  # Italian
    "비밀번호": r"비밀번호",  # Korean
    "비번": r"비번",
    "암호": r"암호",
    "패스워드": r"패스워드",
    "المرور": r"(?<=كلمة[ _])المرور",  # Arabic
    "السر": r"(?<=كلمة[ _])السر",
    "पासवर्ड": r"पासवर्ड",  # Hindi
}
"""Forms of the words for a password, by where they begin."""

_LONGER_KNOWN = (
    r"(?:(?<=mot[ _]de[ _])|(?<=motde)|(?<=palavra[ _\-]))passe"
    r"|kennwort|contraseña|(?<![a-z])senha|парол(?:ь|ем|я|ю|\u0435|\u0456)|密码|密碼|パスワード"
)
_HAS_VALUE = r"(?=[^\n]{0,80}[\d\"'`!@#$%^&*]|[ ]?=)"
"""The line is no sentence about passwords, and no label."""

PASSWORD = (
    rf"(?:(?i:{_cased(_LONGER_KNOWN)}|(?:{_cased('|'.join(_OF_LANGUAGES.values()))}){_HAS_VALUE}"
    rf"|pass(?:word|wd|wort|phrase|code|wrd)|(?:(?<![A-Za-z])|(?<=\\[nrt]))pass{_NO_VERDICT}|pwd|pswd|(?<![A-Za-z0-9])pw(?![a-z])"
    rf"|(?<![a-z])psk|(?<!existing)(?<!existing_)secret|credential)(?i:{_MORE})"
    rf"|(?<=[a-z])Pass(?i:{_MORE}))"
)
_WORDS_OF_LANGUAGES = (
    f"kennwort contrase senha парол 密码 密碼 パスワード {' '.join(_OF_LANGUAGES)}"
)
NAMES_OF_PASSWORDS = f"pass pwd pswd pw psk secret credential {_WORDS_OF_LANGUAGES}"
KEY = (
    r"(?i:(?:(?<=private[_\-. ])|(?<=private))key[_\-."
    r" ]?id|(?<!page)(?<!page[_\-])(?<!continuation)(?<!continuation[_\-])(?<!next[_\-])(?<!publickey)token"
    r"|(?:(?<=(?:api|app|jwt|aes)[_\-. ])|(?<=(?:auth|role|hmac|root)[_\-. ])|(?<=admin[_\-. ])"
    r"|(?<=(?:access|master|shared|client|deploy|cookie)[_\-."
    r" ])|(?<=(?:signing|private|account|session|license|service|storage|webhook)[_\-. ])"
    r"|(?<=(?:consumer|cryption)[_\-. ])|(?<=subscription[_\-. ])"
    r"|(?<=api|app)|(?<=auth)|(?<=access|master|shared|client)|(?<=signing|private|account|session|license|storage)|(?<=cryption))key)"
    r"(?i:[_\-](?:value|data|base64|prod\w{0,7}|dev|test|live|v?\d))?"
)
KEY_WORDS = "token key"

_OF = "voor|van|für|von|vom|zum?|zur|del?|della|da|do|di|para|pour|för|till?|k|ke|pentru|per|от|для|до|від|của|untuk"
"""`Of` and `for` in other languages."""

_TYPE_BETWEEN = r"(?:\[\])?(?:[ \t]?:[ \t]?(?:&(?:'static[ ])?)?[A-Za-z][\w.\[\] |?<>]{0,30}(?==))?"
_SIGN = (
    rf"(?:{QUOTE})?\]?(?:\*\*)?(?:[ ](?:for|of|{_OF})[ ][^\s:=\"'`]{{1,40}}(?=:))?{_TYPE_BETWEEN}["
    rf" \t]{{0,20}}(?:=>|:=|\?=|\|\|=?(?=[ ]{QUOTE})|\?\?=?(?=["
    rf" ]{QUOTE})|:(?!:)(?:\*\*)?|=(?!=)|%3[dD]|(?<=[ ])(?:->|\u2192)(?=[ ])|\uff1a)[ \t]{{0,20}}"
)
"""The end of a name, a type, and the sign of an assignment."""

VARIABLE = r"\[REDACTED\]|\$[\w{(]|<[^>\s]{1,60}>|\{\{?|%[sdvr({]|%\w{1,60}%|#\{|\*{2}|\.\*|x{3}|X{3}|\.\.\.|…|&|!\w|@\w{1,40}@"
_END = r"(?=[\s\"'`,;)\]}&|<\\#]|\Z)"
_WORDS = (
    r"(?i:(?:your|my|the|some|enter|insert|replace|example|sample|dummy|fake|placeholder|redacted|hidden|masked)?[_"
    r" \-]?"
    r"(?:new|old|current|api|access|db|admin|root|user|client|auth|confirm|repeat|is|has|no|show|forgot|reset|change|invalid)?[_"
    r" \-]?"
    rf"(?:pass(?:word|wd|wort|phrase|code)?s?|(?:passwort|{_cased(_WORDS_OF_LANGUAGES.replace(' ', '|'))})(?:[^\s\d\"'`!@#$%^&*]{{0,4}}|[^\s!-~]{{0,24}})|pwd|secrets?|tokens?|keys?|credentials?|str|string|text|bytes|bool|boolean|int|integer|number|any|object|none"
    r"|null|nil|undefined|true|false|optional|required|yes|no|on|off|enabled|disabled|hidden|always|never|default|unset|empty|missing"
    r"|invalid|wrong|incorrect|expired|changed|masked|redacted|encrypted|hashed|plain|see|todo|tbd|here|there|below|above|input|field|value|name"
    r"|header|body|query|cookie|bearer|basic|file|path|url|type|label|test|auto|inherit|read|write|include|omit|same-origin|clear|stored|provided"
    r"|generated|not|is|set|self|this|env|base64|sha-?\d{1,3}|md5|argon2\w{0,2}|pbkdf2|ok|fail|failed|passed|error|warning|info|end|start|else|pass)(?:[_\-](?:here|placeholder|value|goes))?)"
)
ORDINARY = rf"(?:{VARIABLE}|{_WORDS}{_END})"
"""Placeholders, and other values that ordinary text gives to names of secrets."""

_CODE = (
    r"(?:[A-Za-z_$][\w$]{0,60}(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,60}){0,8}!?[(\[{]"
    r"|[A-Za-z_$][\w$]{0,24}(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,24}){1,8}"
    + _END
    + r"|(?i:[a-z_]{0,30}(?:pass\w{0,6}|pwd|secret|token|key)_?\d?)"
    + _END
    + r"|(?:await|new|lambda|not|async|function|if|self)\b)"
)
"""Expressions of programs: a call, an item, an attribute, a variable."""

_TYPE = (
    r"(?:float|double|[A-Z][A-Z0-9]{0,20}_[A-Z0-9_]{1,40}"
    + _END
    + r"|(?:[A-Z][A-Za-z0-9]{0,30})?(?:Str|String|Secret|Password|Token|Key|Type|Field|Value|Input|Model|Config|Any|Optional|None|True|False|Text|Bytes|Options?))"
    + _END
)
ORDINARY_QUOTED = rf"(?:[bfru@]|String::from\()?{QUOTE}{ORDINARY}"
ORDINARY_OPEN = rf"(?:{QUOTE})?(?:{ORDINARY}|{_CODE}|{_TYPE}|[/~\[(=]|https?:|[A-Z_]{{1,60}}{_END})"
OPEN = r"(?:[^\s\"'`()<>\[\]{},;\\]|\\(?![nrt\"'`\\]))"
"""A character of a value without quotes."""

_OF_KEYS = r"[\w+/.~\-]"
"""A character of a key without quotes."""

_NOT_BOUND = r"(?![^\n{}]{0,80}\}[ \t]{0,3}(?:=(?![=>])|\)[ ]{0,3}(?:=>|\{|:)))"
"""No name in a pattern that destructures an object."""

_LAST = r"(?=[ \t]{0,4}(?:#[^\n]{0,200})?(?:\\{1,2}[nr]|[\r\n]|\Z))"
"""Only a comment follows on the line."""

_HAS_DIGIT = r"(?=[^\s\"'`]{0,200}\d)"
MIXED = r"(?=[^\s\"'`]{0,200}\d)(?=[^\s\"'`]{0,200}[A-Za-z])"

WORDY = r"(?![A-Za-z]{2,20}\d{0,3}[a-z]{0,6}\d?(?:[\-_./:][A-Za-z]{0,20}\d{0,3}[a-z]{0,6}){0,8}(?![\w\-./:!@#$%^&*]))"
"""No name that is composed of words, as keys never are."""

_FLAG = (
    r"(?:(?<=--)|(?<=["
    r" ]-)|(?<=--(?:db|my)-)|(?<=--(?:api|bot)-)|(?<=--(?:auth|user|root|http)-)|(?<=--admin-)"
    r"|(?<=--(?:access|client|github|gitlab|master)-)|(?<=--registry-))"
)
_IS_ELSEWHERE = "ist|lautet|es|est|è|é|luidt|brzmi|är|(?<!wort[ ])(?<!passe[ ])(?:er|je)|este|είναι|là|adalah|هي|هو|है|(?:это|це)|[—\u2013]"
_IS = (
    rf"(?:(?:[ \t](?:for|of|to|on|at|{_OF}|is[ \t]called)[ \t][^\n.:=]{{1,40}}?)?["
    rf" \t](?:is|was|{_IS_ELSEWHERE}|(?<=alasana[ ])on)(?:[ \t](?:now|still|just|set[ \t]to|called|probably|:))?:?["
    r" \t]{1,2}|(?<=as[łl]o)(?:[ ]do[ ][^\n.:=]{1,40}?)?[ ]to[ ]"
    r"|(?:是|为|為|は|는|은|이|가)[ ]?(?=[!-~]{6,60}(?:[\s。、\uff0c]|です|입|이|예|\Z)))"
)
_AFTER_IS = r"(?:(?<=[ ]is[ ])|(?<=[ ](?:was|now)[ ])|(?<=is:[ ])|(?<=[ ]still[ ])|(?<=[ ]just[ ])|(?<=set[ ]to[ ])|(?<=called[ ])|(?<=probably[ ]))"
"""After `is` in English, whose other words `_PROSE` knows."""

_NO_ADJECTIVE = r"(?!(?:\d{1,2}|2FA|[A-Z]{2,6}-?\d{1,4})-[a-z]{3,20}(?![\w\-]))"
"""No `16-character`, no `SHA256-hashed`."""

NO_TOPIC = r"(?<!(?:for|fix)[ ]the[ ])(?<!(?:of|in)[ ]the[ ])"
"""Not in `the fix for the token is 9f86d08`."""

_PROSE = (
    r"(?!(?i:a|an|the|not|no|now|in|on|at|by|to|of|for|from|with|only|also|still|just|very|too|that|this|what|when|where|how|why|which|here"
    r"|there|your|my|our|their|his|her|its|it|kept|sent|read|given|known|shown|good|bad|weak|strong|long|short|safe|gone|lost|fine|right"
    r"|plain|public|private|static|dynamic|unique|secure|valid|next|first|last|same|different|one|two|random|null|patience|[a-z]{1,30}"
    r"(?:ed|ing|able|ible|ent|ect|al|ous|ive|ary|ory|less|ful|ly|id|ong|ten|own|ant|or|ion|ment))\b)"
)

_ELEMENT = (
    r"(?:>|</key>\s{0,20}<string>|\\{0,3}\">(?=[^<>\s]{0,200}[\d!@#$%^*_\-])|\\{0,3}\"["
    r" ]{0,3}value=\\{0,3}\")"
)
_AFTER_DASH = r"(?<=-)"
_UPPER = r"(?=[A-Z])"

_LINE_END = r"(?:\n|\\n)"
_TEXT = r"(?:[^\n\\]|\\(?!n))"
_YAML_LINES = rf"(?:{_LINE_END}[ \t]{{1,8}}[\w.\-]{{1,100}}:{_TEXT}{{0,500}}){{1,40}}"
_A_VALUE = (
    rf"(?=(?:{_LINE_END}[ \t]{{1,8}}[\w.\-]{{1,100}}:{_TEXT}{{0,500}}){{0,39}}?{_LINE_END}["
    rf" \t]{{1,8}}[\w.\-]{{1,100}}:[ \t]{{0,3}}[\"']?(?![\"'\s\\]|{VARIABLE}))"
)
"""Some line has a value that is no placeholder."""

RULES: tuple[Rule, ...] = (
    Rule(
        "password-quoted",
        NAMES_OF_PASSWORDS,
        r"(?:[bfru@]|String::from\()?(\"{3}|'{3}|\\{0,3}[\"'`])((?:(?!\1)(?:\\.|[^\s\\])){4,300})\1",
        inside=True,
        head=(PASSWORD, _SIGN),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "password-phrase",
        NAMES_OF_PASSWORDS,
        r"(\\{0,3}[\"'])((?:(?!\1)(?:\\.|[^\n\\])){8,300})\1",
        inside=True,
        head=(
            r"(?=P|S|(?i:passphrase))",
            rf"(?:(?i:passphrase){_SIGN}|(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|PASS|PWD)(?:_?\w{{0,20}})=)",
        ),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "password-with-digit",
        NAMES_OF_PASSWORDS,
        rf"(?:{QUOTE})?{_HAS_DIGIT}(?!\d{{1,5}}{_END})({whole(OPEN, 6, 300)})(?![(\[{{]){_NOT_BOUND}",
        inside=True,
        head=(PASSWORD, _SIGN),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "password-line",
        NAMES_OF_PASSWORDS,
        r"(?:(?<=:[ \t])|(?<=\*\*[ ])|(?<=[ \t]{2})|(?<=[^ \t]=)|(?<=[ ]=["
        rf" ])(?=[a-z]{{2,20}}-[a-z]|[^\s]{{0,60}}[!@#%^]))(?![|>.+\-])(?=\S{{0,60}}[!-~])({OPEN}{{4,100}})(?<![.?:])(?:{_LAST}|(?=["
        r" ]\w{2,20}=|;[\w ]{2,30}=|;(?:[\"'\s\\]|\Z)))",
        inside=True,
        head=(PASSWORD, _SIGN),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "password-variable",
        NAMES_OF_PASSWORDS,
        rf"({whole(OPEN, 4, 300)})(?=[\s\"'`&|;\\]|\Z)",
        inside=True,
        head=(
            _UPPER,
            r"(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE|PASS|SECRET|(?<=[A-Z_])PWD)(?:_[A-Z0-9]{1,20}|_?\d{1,2})?=",
        ),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "password-flag",
        "password passwd passphrase secret -pass -pwd",
        rf"[\"']?(?!-|(?i:option|flag|and|or|for|from|argument|parameter|switch|was|will|must|can|should|with|without|when|as|instead"
        rf"|stdin|that|which|to|then|on|but)\b)({OPEN}{{4,200}})",
        inside=True,
        head=(
            _AFTER_DASH,
            (
                rf"(?:{_FLAG}(?:password|passwd|passphrase|secret)|(?<=-)-(?:pass|pwd))(?:["
                r" \t]{1,3}|=|\\{0,3}[\"'],[ ]?(?=\\{0,3}[\"']))"
            ),
        ),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
    Rule(
        "password-argument",
        NAMES_OF_PASSWORDS,
        r"(\\{0,3}[\"'])((?:(?!\1)[^\s\\]){4,200})\1[ ]?\)",
        inside=True,
        head=(r"(?<=[th_.])(?<!get)(?i:password|secret)\([ ]?",),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "password-element",
        NAMES_OF_PASSWORDS,
        r"([^<>\s\"\\]{4,200})(?=</|\\{0,3}\")",
        inside=True,
        behind=r"(?<![/#])",
        head=(PASSWORD, _ELEMENT),
        unless=ORDINARY,
    ),
    Rule(
        "password-pair",
        NAMES_OF_PASSWORDS,
        rf"(\\{{0,3}}[\"'])[ ]?,[ ]?\1(?!{VARIABLE}){MIXED}((?:(?!\1)[^\s\\]){{6,200}})\1",
        inside=True,
        head=(PASSWORD, r"(?=\\{0,3}[\"'][ ]?,)"),
    ),
    Rule(
        "password-told",
        NAMES_OF_PASSWORDS,
        r"(?:(\\{0,3}[\"'`])((?:(?!\1)[^\s\\]){3,100})\1"
        rf"|({_NO_ADJECTIVE}(?:{_HAS_DIGIT}|(?=[A-Za-z]{{1,30}}[@#$%^&*_+=~]|[A-Za-z]{{1,30}}!\w))[^\s\"'`<>(){{}}\[\]]{{3,100}}[^\s\"'`<>(){{}}\[\].,:;?])"
        rf"|{_AFTER_IS}{_PROSE}([A-Za-z]{{5,40}})(?=[.!;,]?(?:\\n|[\r\n]|\Z)))",
        inside=True,
        behind=NO_TOPIC + r"(?!(?i:pass)(?![A-Za-z]))",
        head=(PASSWORD, _IS),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
    Rule(
        "key-quoted",
        KEY_WORDS,
        rf"(?:[bfru@]|String::from\()?(\\{{0,3}}[\"'`])(?:{MIXED}(?=[^\s\"'`]{{8}})|(?=[^\s\"'`]{{20}})(?![a-z]{{1,20}}(?:[_.:/\-][a-z]{{1,20}}){{1,12}}\1))"
        r"((?:(?!\1)[\w+/=.~:@%!#^*\-]){8,1000})\1",
        inside=True,
        head=(KEY, _SIGN),
        unless=ORDINARY_QUOTED,
    ),
    Rule(
        "key-with-digit",
        KEY_WORDS,
        rf"(?:{QUOTE})?{MIXED}({whole(_OF_KEYS, 9, 1000)}={{0,2}})(?![(\[{{]){_NOT_BOUND}",
        inside=True,
        head=(KEY, _SIGN),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "key-with-bar",
        KEY_WORDS,
        rf"(?:{QUOTE})?((?:\d{{1,20}}|[a-z]{{3,10}}:[\w:\-]{{3,80}})\|[\w+/\-]{{24,400}}={{0,2}})(?![\w|])",
        inside=True,
        head=(KEY, _SIGN),
    ),
    Rule(
        "key-line",
        KEY_WORDS,
        rf"(?<=:[ \t])([\w+/.~\-]{{16,1000}}={{0,2}})(?<![.]){_LAST}",
        inside=True,
        head=(KEY, _SIGN),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "key-variable",
        KEY_WORDS,
        r"[\"']?([\w+/.~:\-]{8,1000}={0,2}|(?=[^\s]{0,7}\d)[\w+/.~:\-]{5,7})(?=[\s\"'`&|;\\]|\Z)",
        inside=True,
        head=(
            _UPPER,
            r"(?:(?<![A-Za-z])TOKEN|(?:(?<=_)|(?<=[A-Z]{3}))(?:TOKEN|KEY))(?:_[A-Z0-9]{1,20})?=",
        ),
        unless=ORDINARY_OPEN,
    ),
    Rule(
        "key-flag",
        KEY_WORDS,
        rf"[\"']?(?!-){MIXED}([\w+/=.~:\-]{{8,1000}})",
        inside=True,
        head=(r"(?<=-)|(?<=--api)", rf"(?:{_FLAG}(?:token|key)|(?<=--api)key)(?:[ \t]{{1,3}}|=)"),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
    Rule(
        "key-element",
        KEY_WORDS,
        rf"{MIXED}([^<>\s\"\\]{{8,400}})(?=</|\\{{0,3}}\")",
        inside=True,
        behind=r"(?<![/#])",
        head=(KEY, _ELEMENT),
        unless=ORDINARY,
    ),
    Rule(
        "key-told",
        KEY_WORDS,
        rf"(?:{QUOTE})?{MIXED}{WORDY}([\w+/=.~:\-]{{8,1000}})",
        inside=True,
        behind=NO_TOPIC,
        head=(KEY, _IS),
        unless=rf"(?:{QUOTE})?{ORDINARY}",
    ),
    Rule(
        "kubernetes-secret",
        "kind",
        r"kind\\{0,3}\"?:["
        rf" \t]{{0,3}}\\{{0,3}}[\"']?Secret\\{{0,3}}[\"']?(?:{_TEXT}{{0,200}}{_LINE_END}){{1,12}}?(?:data|stringData):{_A_VALUE}({_YAML_LINES})",
    ),
    Rule(
        "kubernetes-secret-data",
        "data:",
        rf"(?i:data:){_A_VALUE}({_YAML_LINES})(?=(?:{_LINE_END}{_TEXT}{{0,120}}){{0,12}}?{_LINE_END}kind:"
        r" Secret)",
        inside=True,
    ),
)
