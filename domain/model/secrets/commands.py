"""Passwords in commands of the shell and in statements of SQL."""

from hardwon.domain.model.secrets.rule import Rule

_GIVEN = r"(?![$<{*%\-]|\[REDACTED\]|\.\.\.|[xX]{3})"
"""No placeholder, and no option."""

_WORD = rf"[\"']?{_GIVEN}([^\s\"'|;&)]{{4,200}})"
_LITERAL = rf"(['\"]){_GIVEN}((?:(?!\1)[^\s\\]){{4,200}})\1"
_REST = r"[^\n|;]{0,200}?[ ]"
"""Other arguments of the same command."""

RULES: tuple[Rule, ...] = (
    Rule(
        "command-password",
        "mysql mariadb sshpass redis-cli docker·login podman·login nerdctl·login buildah·login skopeo·login registry·login htpasswd ssh-keygen openssl"
        " sqlcmd smbclient",
        r"(?:(?:mysql|mariadb)(?:dump|admin|import)?\b[^\n|;]{0,200}?[ ]-p|sshpass[ ]-p["
        r" ]?|redis-cli\b[^\n|;]{0,200}?[ ]-a[ ]|"
        r"(?:docker|podman|nerdctl|buildah|skopeo|registry) login\b[^\n|;]{0,200}?[ ]-p[ ]|htpasswd[ ]-\w{0,5}b\w{0,5}["
        r" ][^\s]{1,80}[ ][^\s]{1,80}[ ]|"
        r"ssh-keygen\b[^\n|;]{0,200}?[ ]-[NP][ ]|openssl\b[^\n|;]{0,200}?[ ]-k[ ]|openssl passwd -(?:\d|apr1)[ ]|"
        r"sqlcmd\b[^\n|;]{0,200}?[ ]-P[ ]|smbclient\b[^\n|;]{0,200}?%)"
        r"[\"']?(?![$<{*\-]|\[REDACTED\])([^\s\"'|;]{4,100})",
    ),
    Rule(
        "command-option",
        "mongosh mongodump ldapsearch ldapadd ldapmodify twine mosquitto_ az·login xfreerdp zip 7z"
        " rabbitmqctl sqlplus net·use mysqladmin kinit psexec requirepass masterauth",
        rf"(?:(?:mongosh|mongodump|twine|az[ ]login)\b{_REST}-p["
        rf" ]|ldap(?:search|add|modify)\b{_REST}-w[ ]|mosquitto_(?:pub|sub)\b{_REST}-P[ ]"
        r"|(?:un)?zip[ ](?:[^\n|;]{0,80}?[ ])?-P[ ]|7z["
        rf" ]{_REST}-p|xfreerdp\b{_REST}/p:|rabbitmqctl[ ](?:add_user|change_password)["
        r" ]\S{1,80}[ ]"
        r"|sqlplus[ ](?:-\w{1,8}[ ]){0,4}[\w.]{1,60}/|net[ ]use[ ]\S{1,200}["
        rf" ]/user:\S{{1,80}}[ ]|mysqladmin\b{_REST}password[ ]"
        rf"|(?i:psexec)(?:\.exe)?\b{_REST}-p[ ]"
        r"|(?:requirepass|masterauth)[ ]{1,3}(?=[^\s]{0,60}\d)"
        rf"|kinit\b[^\n|;]{{0,120}}<<<[ ]?){_WORD}",
    ),
    Rule(
        "app-password",
        "pass pwd",
        r"(?:PASSWORD|PASSWD|PASS|PWD)=[ ]?[\"']?([a-z]{4}(?:[ ][a-z]{4}){3})(?![a-z])",
        inside=True,
    ),
    Rule(
        "option-password",
        "-pass -storepass -keypass -srcstorepass -deststorepass pass:",
        r"(?:(?<=[ ])-(?:(?:src|dest)?(?:store|key)pass|password|passphrase)[ ]|(?<=-passin["
        rf" ])pass:|(?<=-passout[ ])pass:){_WORD}",
    ),
    Rule(
        "password-piped",
        "echo",
        rf"echo[ ](?:-n[ ])?(?:{_WORD}[\"']?[ ]\|[ ]{{0,2}}sudo["
        rf" ]{{1,2}}-\w{{0,3}}S|[\"']?[\w.\-]{{1,60}}:{_WORD}[\"']?[ ]\|[ ]{{0,2}}(?:sudo["
        r" ])?chpasswd)",
    ),
    Rule(
        "oracle-address",
        "jdbc:oracle:",
        rf"jdbc:oracle:\w{{1,10}}:[\w.$]{{1,60}}/{_WORD.replace('|;&)]', '|;&)@]')}@",
    ),
    Rule(
        "sql-identified-by",
        "identified·by identified·with create·user create·role alter·user alter·role grant·",
        rf"(?:IDENTIFIED|(?i:(?:create|alter)\s(?:user|role)|grant)\s[^;]{{0,200}}?\b(?i:identified))"
        rf"(?i:[ ](?:with[ ][\w\"'`]{{1,40}}[ ])?(?:by|as)[ ](?:password[ ])?){_LITERAL}",
    ),
    Rule(
        "sql-password-function",
        "password('",
        rf"(?i:(?<==[ ])|(?<==))(?i:password)\({_LITERAL}",
        inside=True,
    ),
    Rule("sql-pragma-key", "pragma·key", rf"(?i:pragma[ ]key)[ ]?=[ ]?{_LITERAL}"),
)
