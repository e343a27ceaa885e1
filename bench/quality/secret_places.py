r"""
Lines of files, commands, logs and messages that may hold secrets, by language.

In a place `<v>` stands for the secret, and its name is written as that language does: `<U>`
DB_PASSWORD, `<s>` db_password, `<c>` dbPassword, `<P>` DbPassword, `<k>` db-password, `<d>`
app.db.password, `<H>` Db-Password, `<w>` db password.
"""

ASSIGNED: dict[str, tuple[str, ...]] = {
    "env": (
        "<U>=<v>", '<U>="<v>"', "<U>='<v>'", "export <U>=<v>", 'export <U>="<v>"', "export <U>='<v>'  # staging", "<U> = <v>",
        "HOST=db\n<U>=<v>\nPORT=5432",
    ),
    "shell": (
        "tool --<k> <v>", "tool --<k>=<v> --verbose", "tool --<k> '<v>'", 'tool --<k>="<v>"', "<U>=<v> make deploy", "env <U>=<v> npm start",
        'echo "<U>=<v>" >> .env', "printf '<U>=<v>\\n' >> .env", "sed -i 's/^<U>=.*/<U>=<v>/' .env", "docker run -e <U>=<v> app",
        'docker run --env "<U>=<v>" app', "kubectl create secret generic app --from-literal=<k>=<v>", "helm upgrade app . --set auth.<c>=<v>",
        "heroku config:set <U>=<v>", "fly secrets set <U>=<v>", 'gh secret set <U> --body "<v>"', "vault kv put secret/app <s>=<v>",
        "curl -d '<s>=<v>' https://example.org/login", "setenv <U> <v>", "set -gx <U> <v>", 'ansible-playbook site.yml -e "<s>=<v>"',
        "read -r <U> <<< '<v>'",
    ),
    "windows": ("set <U>=<v>", '$env:<U> = "<v>"', "$env:<U>='<v>'", 'setx <U> "<v>"', '$<c> = "<v>"', "$<P> = '<v>'"),
    "systemd": ("Environment=<U>=<v>", 'Environment="<U>=<v>"'),
    "dockerfile": ("ENV <U> <v>", "ENV <U>=<v>", 'ENV <U>="<v>"', "ARG <U>=<v>"),
    "compose": ("    environment:\n      - <U>=<v>", "    environment:\n      <U>: <v>", '      - "<U>=<v>"', '      <U>: "<v>"'),
    "kubernetes": (
        "        - name: <U>\n          value: <v>", '        - name: <U>\n          value: "<v>"',
        "apiVersion: v1\nkind: Secret\nstringData:\n  <k>: <v>\n", '{"name": "<U>", "value": "<v>"}',
    ),
    "terraform": (
        '  <s> = "<v>"', 'variable "<s>" {\n  type    = string\n  default = "<v>"\n}', '<s>    = "<v>"',
        'set_sensitive {\n  name  = "auth.<c>"\n  value = "<v>"\n}',
    ),
    "ci": ("    env:\n      <U>: <v>", 'variables:\n  <U>: "<v>"', "        with:\n          <k>: <v>", "      <U>: '<v>'", "env:\n  - <U>=<v>"),
    "yaml": ("<s>: <v>", '<s>: "<v>"', "<s>: '<v>'", "  <c>: <v>", "<k>: <v>", "- <s>: <v>", "db: {<s>: <v>, port: 1}", '  "<s>": "<v>"'),
    "json": (
        '"<s>": "<v>"', '  "<c>": "<v>",', '{"<U>":"<v>"}', '{"user":"ada","<s>":"<v>"}', '"{\\"<s>\\": \\"<v>\\"}"', '"<k>" : "<v>"',
        '{"key": "<s>", "value": "<v>"}',
    ),
    "toml": ('<s> = "<v>"', "<k> = '<v>'", '<U> = "<v>"', 'db = { user = "ada", <s> = "<v>" }'),
    "ini": ("<s>=<v>", "<s> = <v>", "<d>=<v>", "<d> = <v>", "<d>: <v>", "<c>=<v>", "[db]\n<s>=<v>\nport=1"),
    "xml": (
        "<<c>><v></<c>>", '<property name="<c>" value="<v>"/>', '<add key="<P>" value="<v>" />', '<user name="ada" <c>="<v>"/>',
        '<string name="<s>"><v></string>', "<key><c></key>\n<string><v></string>", '<env name="<U>" value="<v>"/>', "<<d>><v></<d>>",
    ),
    "c": ('#define <U> "<v>"', 'const char *<s> = "<v>";', 'static const char <s>[] = "<v>";', 'std::string <c> = "<v>";', 'strcpy(cfg.<s>, "<v>");'),
    "python": (
        '<s> = "<v>"', "<U> = '<v>'", 'client = connect("db", <s>="<v>")', '    "<s>": "<v>",', 'os.environ["<U>"] = "<v>"',
        'os.environ.setdefault("<U>", "<v>")', 'os.getenv("<U>", "<v>")', 'self._<s> = "<v>"', '<s>: str = "<v>"', '<s> = b"<v>"',
        'monkeypatch.setenv("<U>", "<v>")', 'parser.add_argument("--<k>", default="<v>")', "app.config['<U>'] = '<v>'", 'config.get("<s>") == "<v>"',
    ),
    "javascript": (
        'const <c> = "<v>";', "let <c> = '<v>'", "  <c>: '<v>',", 'process.env.<U> = "<v>"', "process.env.<U> || '<v>'", 'process.env.<U> ?? "<v>"',
        "private readonly <c>: string = '<v>';", "const <U> = `<v>`;", "export const <U>='<v>'", "await page.fill('#<c>', '<v>')", "this.<c> = '<v>';",
        "var config = {user:'ada',<c>:'<v>'}",
    ),
    "go": ('<c> := "<v>"', '\t<P>: "<v>",', 'const <c> = "<v>"', 'os.Setenv("<U>", "<v>")', 'var <c> string = "<v>"', "<c> := `<v>`", 't.Setenv("<U>", "<v>")'),
    "rust": (
        'let <s> = "<v>";', 'const <U>: &str = "<v>";', 'std::env::set_var("<U>", "<v>");', '    <s>: "<v>".to_string(),', '    <s>: String::from("<v>"),',
        'pub static <U>: &\'static str = "<v>";', '.<s>("<v>")',
    ),
    "java": (
        'private static final String <U> = "<v>";', 'String <c> = "<v>";', 'props.setProperty("<d>", "<v>");', 'props.put("<c>", "<v>");',
        'config.set<P>("<v>");', 'System.setProperty("<d>", "<v>");', 'val <c> = "<v>"', 'builder.<c>("<v>")', '<c> = "<v>"', '@Value("${<d>:<v>}")',
    ),
    "csharp": ('public string <P> = "<v>";', 'var <c> = "<v>";', '    <P> = "<v>",', '["<P>"] = "<v>"', 'string <c> = @"<v>";', 'public const string <P> = "<v>";'),
    "php": ("$<s> = '<v>';", "'<s>' => '<v>',", "define('<U>', '<v>');", "$config['<s>'] = '<v>';", "putenv('<U>=<v>');", "define( '<U>', '<v>' );", '"<s>" => "<v>"'),
    "ruby": ("<s> = '<v>'", ":<s> => '<v>'", "  <s>: '<v>',", "ENV['<U>'] = '<v>'", "ENV.fetch('<U>', '<v>')", 'config.<s> = "<v>"', "ENV['<U>'] ||= '<v>'"),
    "other code": (
        'let <c> = "<v>"', 'NSString *<c> = @"<v>";', "my $<s> = '<v>';", 'Sys.setenv(<U> = "<v>")', 'config :app, <s>: "<v>"', '{:<k> "<v>"}', "<U> := <v>",
        '<s> = "<v>";', "<c> '<v>'", "<U> ?= <v>", "SetEnv <U> <v>", 'local <s> = "<v>"', '  <c> = "<v>"', 'withEnv(["<U>=<v>"])',
        'final <c> = "<v>";', '(setq <k> "<v>")', 'static let <c> = "<v>"',
    ),
    "url": ("https://example.org/?<s>=<v>", "https://example.org/x?a=1&<s>=<v>&b=2", "GET /login?<c>=<v> HTTP/1.1", "user=ada&<s>=<v>", "?<k>=<v>#top"),
    "log": (
        "2026-03-01 12:00:01 INFO start <s>=<v> user=ada", "DEBUG config: {'host': 'db', '<s>': '<v>'}", "[app] Config(host='db', <s>='<v>')",
        "Settings{host=db, <c>=<v>, port=1}", 'level=info msg=start <s>="<v>"', "12:00:01 <w>: <v>", "{Host:db <P>:<v> Port:1}", "loaded <U>=<v> from .env",
        '{"level":"debug","<c>":"<v>"}', "ERROR login failed with <w> '<v>'",
    ),
    "diff": ("+<U>=<v>", '-    "<s>": "<v>",', '+  <c>: "<v>",', "- <s>: <v>\n+ <s>: ${<U>}", '+    <s> = "<v>"', "@@ -1,2 +1,2 @@\n host=db\n-<s>=<v>\n"),
    "markdown": (
        "- **<w>:** <v>", "**<w>**: <v>", "- **<w>**: `<v>`", "| <w> | <v> |", "| <w> | `<v>` |", "`<s>`: `<v>`", "* <w>: <v>", "- `<U>=<v>`", "```\n<U>=<v>\n```",
        "> <w>: <v>", "1. Set `<U>` to `<v>`",
    ),
    "prose": (
        "the <w> is <v>", "The <w> is `<v>`.", "My <w> is '<v>', please keep it", "I set the <w> to <v> yesterday", "use <v> as the <w>", "<w>: <v>", "<w> = <v>",
        'log in as admin with the <w> "<v>"', "try it with <w> <v>", "The <w> for staging is <v>.", "it's <v> (the <w>)", "<w> was changed to <v>",
    ),
}  # fmt: skip
"""Places of a secret that is given to a name."""

TOKENS_ALONE: dict[str, tuple[str, ...]] = {
    "prose": ("I used <v> and it still fails", "here it is: <v>", "try <v>.", "(<v>)", "“<v>”", "use `<v>`, please"),
    "code": ('client = Client("<v>")', "new Client('<v>')", "login(`<v>`)", '["<v>", 1]', "// <v>", "# <v>", "<!-- <v> -->", "f(<v>)", "assert x == '<v>'"),
    "log": ("invalid credentials <v>", "401 for <v>: expired", '{"value":"<v>"}', "[<v>] denied", "got=<v>;", "\x1b[33m<v>\x1b[0m", "a\\n<v>\\nb"),
    "table": ("| x | <v> |", "x\t<v>\ty", "a,<v>,b", "- <v>"),
    "shell": ("echo <v> | docker login -u ada --password-stdin", "tool login <v>", "git clone https://oauth2:<v>@git.example.org/a.git", "curl -H 'X: <v>' x"),
    "diff": ("+<v>", "-  - <v>"),
}  # fmt: skip
"""Places of a token that is known by its own form."""

HEADERS = (
    "Authorization: Bearer <v>", "authorization: bearer <v>", "curl -H 'Authorization: Bearer <v>' https://x.example", 'curl -H "Authorization: token <v>" x',
    '"Authorization": "Bearer <v>"', "headers = {'Authorization': 'Bearer <v>'}", "headers: { Authorization: `Bearer <v>` }", "X-API-Key: <v>", "x-api-key: <v>",
    '-H "X-Api-Key: <v>"', "'X-Auth-Token': '<v>',", '{"key":"Authorization","value":"Bearer <v>"}', 'req.Header.Set("Authorization", "Bearer <v>")',
    '.header("Authorization", "Bearer <v>")', "> Authorization: Bearer <v>", "< Set-Cookie: session=<v>; Path=/; HttpOnly", "Cookie: sid=<v>; theme=dark",
    'proxy_set_header Authorization "Bearer <v>";', "http GET x Authorization:'Bearer <v>'", "Authorization=Bearer <v>", "Authorization: ApiKey <v>", "X-Auth-Token: <v>",
    "add_header('X-Access-Token', '<v>')", "set-cookie: connect.sid=s%3A<v>", "Proxy-Authorization: Bearer <v>", "X-Amz-Security-Token: <v>", "-H 'PRIVATE-TOKEN: <v>'",
    "xhr.setRequestHeader('X-Token', '<v>')", "bearer_token: <v>", "Authorization Bearer <v>", "X-Csrf-Token: <v>", 'wscat -H "Authorization: Bearer <v>" -c wss://x',
)  # fmt: skip
"""Places in HTTP of a session id or key without its own form."""

BASIC = ("Authorization: Basic <v>", "-H 'Authorization: Basic <v>'", '"Authorization": "Basic <v>"', "authorization: basic <v>", "headers['Authorization'] = 'Basic <v>'", "Proxy-Authorization: Basic <v>")  # fmt: skip
"""Places of a user and a password in base64."""

COMMANDS = (
    "mysql -u root -p<v> app", "mysqldump --password=<v> app > x.sql", "PGPASSWORD=<v> psql -h db app", 'psql "host=db user=ada password=<v> dbname=app"',
    "redis-cli -h cache -a <v> ping", "mongosh --host db -u ada -p <v>", "sshpass -p <v> ssh ada@host", "sshpass -p '<v>' scp x host:", "curl -u ada:<v> https://x.example",
    "curl --user 'ada:<v>' x", "wget --user=ada --password=<v> https://x.example", "http -a ada:<v> GET x.example", "docker login -u ada -p <v> registry.example.org",
    "ldapsearch -x -D cn=admin -w <v> -b dc=x", "smbclient //srv/share -U ada%<v>", "openssl rsa -in k.pem -passin pass:<v>", "openssl req -new -passout pass:<v>",
    "keytool -list -keystore k.jks -storepass <v>", "keytool -genkey -keypass <v> -alias a", "gpg --batch --passphrase <v> -d x.gpg", "zip -P <v> x.zip f",
    "7z x a.7z -p<v>", "echo <v> | sudo -S apt update", "echo 'ada:<v>' | chpasswd", "htpasswd -b .users ada <v>", "sqlplus ada/<v>@db", "svn up --username ada --password <v>",
    "twine upload -u ada -p <v> dist/*", "az login -u ada -p <v>", "xfreerdp /u:ada /p:<v> /v:host", "kinit ada <<< '<v>'", "mysqladmin -u root password '<v>'",
    "ssh-keygen -t ed25519 -N '<v>' -f k", "sqlcmd -S db -U sa -P <v>", "npm config set //registry.npmjs.org/:_authToken <v>", "machine x.example login ada password <v>",
    "db:5432:app:ada:<v>", "net use \\\\srv\\x /user:ada <v>", "rabbitmqctl add_user ada <v>", "influx -username ada -password <v>", "mosquitto_pub -u ada -P <v> -t x",
)  # fmt: skip
"""Commands and lines of files of programs with a password."""

SQL = (
    "CREATE USER ada WITH PASSWORD '<v>';", "ALTER USER ada WITH PASSWORD '<v>';", "ALTER ROLE ada PASSWORD '<v>'", "CREATE ROLE ada LOGIN ENCRYPTED PASSWORD '<v>';",
    "CREATE USER 'ada'@'%' IDENTIFIED BY '<v>';", "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '<v>';", "SET PASSWORD FOR 'ada'@'%' = PASSWORD('<v>');",
    "CREATE LOGIN ada WITH PASSWORD = '<v>';", 'CREATE USER ada IDENTIFIED BY "<v>";', "GRANT ALL ON *.* TO 'ada'@'%' IDENTIFIED BY '<v>'",
    "INSERT INTO users (name, password) VALUES ('ada', '<v>');", "UPDATE users SET password = '<v>' WHERE id = 1;", "create user ada password '<v>' superuser",
    "CREATE USER MAPPING FOR ada SERVER s OPTIONS (user 'ada', password '<v>');", "db.createUser({user: 'ada', pwd: '<v>', roles: []})", "PRAGMA key = '<v>';",
)  # fmt: skip
"""Statements with a password."""

URLS = (
    "postgres://ada:<v>@db:5432/app", "postgresql+psycopg://ada:<v>@/app", "postgresql+asyncpg://ada:<v>@localhost/app", "mysql+pymysql://root:<v>@127.0.0.1/app",
    "mongodb+srv://ada:<v>@c0.example.net/?w=majority", "mongodb://ada:<v>@h1:27017,h2:27017/app", "redis://:<v>@cache:6379/0", "rediss://default:<v>@cache:6380",
    "amqp://guest:<v>@mq:5672/%2F", "https://ada:<v>@git.example.org/a.git", "ftp://ada:<v>@files.example.org/x", "smtp://ada%40x.example:<v>@smtp.example.org:587",
    "DATABASE_URL=postgres://ada:<v>@${HOST}/app", 'dsn = "postgresql://ada:<v>@/app?host=/run/postgresql"', "jdbc:postgresql://db/app?user=ada&password=<v>",
    "jdbc:mysql://ada:<v>@db:3306/app", "ada:<v>@tcp(127.0.0.1:3306)/app?parseTime=true", "Server=db;Database=app;User Id=sa;Password=<v>;", "Data Source=db;Uid=ada;Pwd=<v>",
    "jdbc:sqlserver://db:1433;user=sa;password=<v>;encrypt=true", "ldap://cn=admin:<v>@ldap.example.org", "socks5://ada:<v>@proxy.example.org:1080", "index-url = https://ada:<v>@pypi.example.org/simple",
    "elasticsearch: http://elastic:<v>@es:9200", "nats://ada:<v>@nats:4222", "sftp://ada:<v>@[::1]:22/x", "git remote add o https://oauth2:<v>@gitlab.example.org/a/b.git",
    "clickhouse://default:<v>@ch:9000/app", "host=db port=5432 user=ada password='<v>' dbname=app",
    "snowflake://ada:<v>@account/db", "cloudinary://1234567890:<v>@demo", "rtsp://admin:<v>@192.168.1.10:554/s",
    "mssql+pyodbc://sa:<v>@db/app?driver=x", "sqlserver://sa:<v>@db:1433?database=app", "kafka+ssl://ada:<v>@k:9093", "oracle://ada:<v>@db:1521/x",
)  # fmt: skip
"""Addresses and connection strings with a password."""

KEY_BLOCKS = (
    "RSA PRIVATE KEY",
    "PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "DSA PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
)
AROUND_LINES: dict[str, tuple[str, str]] = {
    "file": ("", "\n"),
    "added": ("+", "\n"),
    "removed": ("-", "\n"),
    "context of a diff": (" ", "\n"),
    "quoted": ("> ", "\n"),
    "quoted twice": (">> ", "\n"),
    "yaml": ("    ", "\n"),
    "tabs": ("\t\t", "\n"),
    "windows": ("", "\r\n"),
    "comment": ("# ", "\n"),
    "comment of c": ("// ", "\n"),
    "comment of sql": ("-- ", "\n"),
    "escaped": ("", "\\n"),
    "escaped twice": ("", "\\\\n"),
    "concatenated": ('    "', '\\n" +\n'),
    "concatenated without plus": ("  '", "\\n'\n"),
    "php": ("  '", '\' . "\\n" .\n'),
    "numbered": ("   12\t", "\n"),
    "grep": ("id_rsa:", "\n"),
    "grep -n": ("keys/id_rsa:7:", "\n"),
    "log": ("2026-03-01T12:00:00Z app | ", "\n"),
    "docker compose": ("web-1  | ", "\n"),
    "blank lines": ("", "\n\n"),
    "list": ("- ", "\n"),
    "table": ("| ", " |\n"),
    "added and indented": ("+    ", "\n"),
    "escaped carriage returns": ("", "\\r\\n"),
    "one line": ("", " "),
}
"""Texts before and after each line of a private key, by place."""
