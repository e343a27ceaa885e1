r"""Private keys in file formats, also truncated or with literal `\n` line ends."""

from hardwon.domain.model.secrets.rule import Rule

_PLAIN_END = r"(?:\s|\\{1,4}[nrt]|\\{1,3}[\"']|[\"'+>|,;#*.\-])"
_BESIDE = (
    r"[\w./\-: ]{1,60}[:|\t](?=[ \t])|[\w./\-]{1,60}:(?:\d{1,6}:)?(?=[A-Za-z0-9+/\-])|//(?=[ ])"
)
_END_OF_LINE = rf"(?:\n(?:{_BESIDE})|{_PLAIN_END})"
"""The end of a line, and the prefix of the next one."""

_LINE = r"[A-Za-z0-9+/]{16,200}={0,2}"
_HEADER = (
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject|x-[\w\-]{1,20}):[^\n\\]{0,100}"
)
_SHORT_LINE = r"(?=[A-Za-z]?[a-z]{0,14}[A-Z0-9+/=])[A-Za-z0-9+/]{1,15}={0,2}(?=\s|\\|[\"']|\Z)"
"""The last line, which no word of a text looks like."""

_CUT = rf"(?:{_END_OF_LINE}{{1,40}}(?:{_LINE}|{_HEADER})){{1,400}}(?:{_END_OF_LINE}{{1,4}}{_SHORT_LINE})?"
_BACK = (
    r"(?:[ \t]{0,3}[:|\t][\w./\-: ]{1,60}\n|["
    r" ]//\n|\s|[nrt]\\{1,4}|[\"'>|,;#*.\-+](?=[\s\"'>|,;#*.\-+nrt]))"
)
_RUN = r"(?:[A-Za-z0-9+/](?!\\))"
"""The end of a line, and a character of it, in reversed text."""

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        "-----begin",
        r"(?i:-----BEGIN[ A-Z0-9]{0,40}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d)-----)"
        r"(?:[^-]*(?:-(?!----)[^-]*)*-{0,3}(?i:-----END[ A-Z0-9]{0,40}KEY(?:"
        rf" BLOCK| V\d)?-----)|{_CUT})",
        inside=True,
    ),
    Rule("minisign-key", "rwrty0iy", r"RWRTY0Iy[A-Za-z0-9+/]{100,300}={0,2}"),
    Rule(
        "vault-unseal-key",
        "unseal·key recovery·key",
        r"(?i:(?:unseal|recovery) key) ?\d{1,2}:[ ]{1,3}([a-f0-9]{64,66}|[A-Za-z0-9+/]{43,48}={0,2})(?![A-Za-z0-9+/])",
    ),
    Rule(
        "private-key-end",
        "-----end·private -----end·rsa·private -----end·ec·private"
        " -----end·dsa·private -----end·openssh·private"
        " -----end·encrypted·private -----end·pgp·private",
        rf"{_BACK}{{0,12}}={{0,2}}{_RUN}{{1,200}}(?:{_BACK}{{1,12}}{_RUN}{{16,200}}){{0,400}}(?<=[A-Za-z0-9+/]{{16}})",
        inside=True,
        backwards=True,
    ),
    Rule(
        "ssh2-private-key",
        "----·begin",
        r"(?i:---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----)"
        rf"(?:[^-]*(?:-(?!---)[^-]*)*(?i:---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----)|{_CUT})",
        inside=True,
    ),
    Rule(
        "putty-private-key",
        "private-lines:",
        r"(?i:Private-Lines:)["
        rf" ]{{0,3}}\d{{1,4}}((?:{_PLAIN_END}{{1,12}}[A-Za-z0-9+/]{{1,80}}={{0,2}}(?![\w+/=:\-])){{1,400}})",
        inside=True,
    ),
    Rule(
        "openssh-key-body",
        "b3blbnnzac1rzxktdje",
        rf"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{{0,200}}={{0,2}}(?:{_CUT})?",
    ),
    Rule(
        "encoded-private-key",
        "ls0tls1crudjti",
        rf"LS0tLS1CRUdJTi(?=[A-Za-z0-9+/\s\\]{{0,60}}(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF))[A-Za-z0-9+/]{{16,8000}}={{0,2}}(?:{_CUT})?",
    ),
    Rule(
        "jwk-private-part",
        '"d" "d\\',
        r'"d\\{0,3}":\s{0,3}\\{0,3}"([\w\-]{32,1400})\\{0,3}"',
        inside=True,
    ),
)
