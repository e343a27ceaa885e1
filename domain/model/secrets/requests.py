"""Credentials in URLs, headers, cookies and commands."""

from hardwon.domain.model.secrets.rule import Rule

_GIVEN = r"(?!\[REDACTED\]|[$<{*%](?![\w!]{0,40}[!^&])|\.\.\.|x{3}|X{3}|(?i:your|example))"
"""No placeholder: a variable, a template, asterisks."""

_QUOTE = r"\\{0,3}[\"'`]"
_COLON = rf"(?:{_QUOTE})?\]?[ \t]{{0,3}}(?::|=>|=(?!=)|,)[ \t]{{0,3}}(?:[bf]?{_QUOTE})?"
_HOST = r"(?=/(?:[\w?]|\Z)|[\s\"'`]|\Z|(?:[\w.\-]{1,100}|\[[0-9a-fA-F:.]{2,45}\]|[$%{<][^\s\"'@/]{1,60})(?::[\d$%{]|[/?#,\s\"'`)\]>}\\;.]|\Z))"
_PORT = r"(?!\d{1,5}(?:[/?#)\s\]\"'`]|\Z))"

RULES: tuple[Rule, ...] = (
    Rule(
        "url-password",
        "://",
        rf"(?<=[A-Za-z0-9+.\-])://[^\s/:@\"'`<>()\[\]]{{0,200}}:{_PORT}(?![$<{{*%@])"
        rf"(?!\[REDACTED\]@)([^\s\"'`<>]{{1,200}})@{_HOST}",
        inside=True,
    ),
    Rule(
        "dsn-password",
        "@tcp( @unix(",
        r"([^\s:/@\"'`<>]{3,200})(?=:[\w.\-]{1,60})",
        inside=True,
        backwards=True,
    ),
    Rule(
        "url-token",
        "://",
        rf"://(?=[^\s/@]{{0,300}}\d)([\w.~%\-]{{16,300}})@{_HOST}",
        inside=True,
    ),
    Rule(
        "authorization",
        "authorization",
        rf"(?i:authorization{_COLON}(?:(?:Basic|Bearer|Token|ApiKey|Api-Key|Api-Token|Key|Bot|Negotiate|NTLM|JWT|OAuth|Splunk|SSWS|GoogleLogin"
        r" auth=|GenieKey|Client-ID|DeepL-Auth-Key|token=)[ \t:]{1,3}[\"']?){0,2})"
        rf"{_GIVEN}((?=[^\s\"'`]{{0,300}}(?:[\d=]|[a-z][A-Z]))[^\s\"'`,;<>(){{}}\[\]]{{8,4000}})",
        inside=True,
    ),
    Rule(
        "authorization-scheme",
        "authorization",
        rf"(?i:authorization{_COLON}(?:Basic|Bearer|Token|ApiKey|Bot|JWT)["
        rf" \t]{{1,3}}){_GIVEN}(?!(?i:auth|token|credential|scheme|header|access))"
        r"([\w.~+/%:\-]{8,4000}={0,2})",
        inside=True,
    ),
    Rule(
        "authorization-basic",
        "authorization",
        rf"(?i:authorization{_COLON}Basic["
        rf" \t]{{1,3}}){_GIVEN}(?!(?i:auth|token|credential|scheme|header|access|realm|and|or|with|over|is)\b)"
        r"([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4,4000}={0,2})",
        inside=True,
    ),
    Rule(
        "authorization-fields",
        "authorization",
        rf"(?i:authorization{_COLON}(?:Digest|AWS4-HMAC-SHA256|Hawk|OAuth|Signature|HMAC|SharedKey|SharedAccessSignature|AWS|MAC|SCRAM-SHA-256)["
        r" \t]{1,3})"
        r"((?!\[REDACTED\])(?:[^\r\n'`\\]|\\{1,3}\"){12,1500})",
        inside=True,
    ),
    Rule(
        "bearer",
        "bearer",
        r"(?i:bearer)["
        rf" \t]{{1,3}}(?:{_QUOTE})?{_GIVEN}((?=[\w.~+/=%\-]{{0,300}}\d)[\w.~+/%\-]{{16,4000}}={{0,2}})",
    ),
    Rule(
        "header-key",
        "x- api private- fastly-key ocp-apim dd-api ably- cf-",
        rf"(?i:(?:x-(?:[a-z]{{2,12}}-){{0,4}}(?:key|token|secret|auth|signature|session|password|access)(?:-(?:id|token|key)){{0,2}}"
        rf"|api-?key|private-token|fastly-key|ocp-apim-subscription-key|dd-api(?:lication)?-key|cf-access-client-secret)"
        rf"{_COLON}){_GIVEN}(?!process\.env\.)((?=[^\s\"'`]{{0,200}}\d)[^\s\"'`,;<>(){{}}\[\]]{{8,2000}})",
    ),
    Rule(
        "session-header",
        "session-id session-token session-key",
        rf"(?i:(?<=-)session-(?:id|token|key){_COLON}|(?<![\w\-])session-(?:id|token|key):["
        rf" ]{{0,3}}){_GIVEN}([\w.\-+/=]{{8,400}})",
        inside=True,
    ),
    Rule(
        "cookie",
        "cookie",
        rf"(?i:(?:set-)?cookie2?{_COLON})(?!\[REDACTED\]|[$<{{])([\w.\-%]{{1,80}}=[^\s\"'`;]{{1,4000}}(?:;["
        r" ]?[\w.\-%]{1,80}(?:=[^;\r\n\"'`\\]{0,2000})?){0,60})",
    ),
    Rule(
        "session-cookie",
        "sessid= sessionid= session_id= .sid= _session= sessiontoken= session-token= csrftoken="
        " _auth=",
        rf"(?i:[\w.\-]{{0,30}}?(?:sessid|sessionid|session_id|\.sid|_session|session-?token|csrftoken|_auth)=)[\"']?{_GIVEN}((?=[^\s\"'`;&]{{0,200}}\d)[^\s\"'`;&,<>(){{}}\[\]]{{12,4000}})",
        inside=True,
    ),
    Rule(
        "curl-user",
        "curl",
        r"curl\b(?:[^\n'\"]|\\\n|\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'){0,200}?["
        r" \t](?:-\w{0,5}[uU]|--user|--proxy-user)[ =]{0,3}[\"']?"
        r"[^\s:\"'$]{0,100}[\"']?:(?!//)(?![$<{*]|\[REDACTED\])([^\s\"']{1,200})",
    ),
    Rule(
        "httpie-user",
        "http·-a",
        r"http[ ]-a[ ]{0,3}[\"']?[^\s:\"'$]{1,100}:(?![$<{*]|\[REDACTED\])([^\s\"']{1,200})",
    ),
    Rule(
        "curl-cookie",
        "curl",
        r"curl\b[^\n]{0,400}?[ \t](?:-b|--cookie)["
        r" =]{0,3}[\"']?(?!\[REDACTED\])([\w.\-]{1,60}=[^\n\"']{4,2000})",
    ),
    Rule(
        "netrc-password",
        "machine",
        r"machine["
        r" \t]{1,8}[\w.\-]{1,100}\s{1,8}login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?!\[REDACTED\]|[$<{])(\S{1,200})",
    ),
    Rule(
        "pgpass-line",
        ":5432: :5433: :6432: :6543: :*:",
        r"(?<=[\w*]):(?:543[23]|6432|6543|\*):[\w*\-]{1,60}:[\w*\-.]{1,60}:(?!\[REDACTED\]|[$<{])([^\s:\"']{3,100})",
        inside=True,
    ),
    Rule(
        "registry-auth",
        '"auth _auth',
        r"(?:\"auth\\{0,3}\":\s{0,3}\\{0,3}\"|_auth[ ]?=["
        r" ]?\"?)([A-Za-z0-9+/]{12,800}={0,2})(?=[\"\s\\]|\Z)",
        inside=True,
    ),
)
