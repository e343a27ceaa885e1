import pytest

from hardwon.domain.model.conversation.describe import areas_of
from hardwon.domain.model.conversation.mentions import (
    commands_in,
    files_in,
    paths_in,
    phases_in,
    projects_in,
)

PATHS = {
    "See `src/feeds/parser.py:12`, and ./a/b.ts.": ["src/feeds/parser.py", "a/b.ts"],
    "(tests/test_x.py:3:7) **README.md**!": ["tests/test_x.py", "README.md"],
    "[the code](domain/model/x.py#L10-L12)": ["domain/model/x.py"],
    "/etc/nginx/nginx.conf and ~/notes/todo.md, /etc/feed.env": [],
    "../other/lib.rs and a/../../x.py": [],
    r"C:\Users\ada\app\main.go or src\win\io.c": ["src/win/io.c"],
    "`app/(shop)/cart/page.tsx` (app/blog/[slug].tsx) app/[id]/a.ts": [
        "app/(shop)/cart/page.tsx",
        "app/blog/[slug].tsx",
        "app/[id]/a.ts",
    ],
    "Dockerfile, Makefile, Justfile and svc/Procfile. `.env.example` docker-compose.yml Dockerfile.dev": [
        *("Dockerfile", "Makefile", "Justfile", "svc/Procfile"),
        *(".env.example", "docker-compose.yml", "Dockerfile.dev"),
    ],
    "our docker file, a Profile, /Makefile ~/Dockerfile the_Makefile": [],
    ".github/workflows/ci.yml and .eslintrc.json, .env": [
        ".github/workflows/ci.yml",
        ".eslintrc.json",
        ".env",
    ],
    "conf/.gitignore a.test.tsx caf\u00e9/na\u00efve.py": [
        "conf/.gitignore",
        "a.test.tsx",
        "caf\u00e9/na\u00efve.py",
    ],
    "https://example.com/a/b.html http://x.y/z.py www.example.com/a.html": [],
    "e.g. i.e. 3.11 v1.2.3 Next.js Node.js os.path self.x and/or 1/2.5 ... example.com ada@example.org": [],
    "/tlc:plan /recall src/ folder/file": [],
    "x" * 400 + ".py": [],
}
COMMANDS = {
    "/tlc:plan the parser, then `/recall` (or /tlc:build).": ["/tlc:plan", "/tlc:build"],
    "/remember it": ["/remember"],
    "/recall": ["/recall"],
    "first\n/remember it, it loops forever on /login now (see the /docs page)": [],
    "is /health ok?": [],
    "src/tlc:plan /tmp /etc/hosts /a/b a/b ~/x GET /login and /or //x /Users/ada / 1/2 /x.py": [],
}
PROJECTS = {
    "as in project foo": ["foo"],
    "Project hardwon uses it. See ~/projects/bar/src/a.py": ["hardwon", "bar"],
    "the project `my-app` and project named Zed, ../repos/lib/": ["my-app", "Zed", "lib"],
    "the project feed-reader has a file": ["feed-reader"],
    "the project is late; our project management; in project files; the project deadline": [],
    "projects in progress": [],
    "as in the billing project, and the `feed-reader` repo; my Zed repository": [
        "billing",
        "feed-reader",
        "Zed",
    ],
    "the whole project, the same project, our Python project, this new repo, the GitHub repository": [],
    "the project and the test project are the current project": [],
}
SIBLINGS = ("config-service", "billing", "web2", "parser", "docs")
MENTIONS = {
    "Do it as in config-service and as billing does; web2 too.": [
        "config-service",
        "billing",
        "web2",
    ],
    "config-service's retries, (billing) `web2`": ["config-service", "billing", "web2"],
    "Fix the parser, a billing run and this parser": [],
    "src/billing/a.py, billing.py, pre-billing, billing-run, @billing, Billing, docs": [],
    "~/projects/billing and the parser project": ["billing", "parser"],
    "the config-service fails": ["config-service"],
}
PHASES = {
    "Phase 71 and phase-3, phase 4.2": ["71", "3", "4.2"],
    "phased 3, phase out, emphase 3x": [],
    "phase x1": [],
}


@pytest.mark.parametrize(("text", "expected"), PATHS.items())
def test_paths_of_files_are_found(text: str, expected: list[str]) -> None:
    assert list(paths_in(text)) == expected


def test_a_bare_name_is_the_file_that_is_named_with_its_folder() -> None:
    assert files_in(["`Login.tsx` of web/src/pages/Login.tsx", "a.py, Login.tsx"]) == (
        "web/src/pages/Login.tsx",
        "a.py",
    )


@pytest.mark.parametrize(("text", "expected"), COMMANDS.items())
def test_slash_commands_are_found(text: str, expected: list[str]) -> None:
    assert list(commands_in(text)) == expected


@pytest.mark.parametrize(("text", "expected"), PROJECTS.items())
def test_names_of_projects_are_found(text: str, expected: list[str]) -> None:
    assert list(projects_in(text)) == expected


@pytest.mark.parametrize(("text", "expected"), MENTIONS.items())
def test_known_siblings_are_found_as_words_of_their_own(text: str, expected: list[str]) -> None:
    assert list(dict.fromkeys(projects_in(text, SIBLINGS))) == expected


@pytest.mark.parametrize(("text", "expected"), PHASES.items())
def test_numbers_of_phases_are_found(text: str, expected: list[str]) -> None:
    assert list(phases_in(text)) == expected


AREAS = {
    "We decided to deploy with Docker.": ("devops",),
    "Let's go with Terraform for the DNS.": ("infrastructure",),
    "We'll use OAuth for authentication.": ("security",),
    "Decision: ruff is our linter.": ("code-quality",),
    "We deploy to AWS behind TLS after linting.": (
        "devops",
        "infrastructure",
        "security",
        "code-quality",
    ),
    "Who triggers the Lambda, EventBridge?": ("infrastructure",),
    "It is in `infra/rotation.tf`.": ("infrastructure",),
    "We rotate the signing keys.": ("infrastructure",),
    "Client and server components, a lambda x: x, and rotate the image.": (),
    "The token of the parser is a special case, precise and author-made.": (),
}


@pytest.mark.parametrize(("utterance", "areas"), AREAS.items())
def test_usage_that_is_always_recorded_is_recognised_by_its_words(
    utterance: str, areas: tuple[str, ...]
) -> None:
    assert areas_of([utterance], []) == areas


def test_a_reply_has_to_mention_an_area_more_than_once() -> None:
    assert areas_of([], ["Mind the firewall."]) == ()
    assert areas_of([], ["Mind the firewall.", "And its permissions."]) == ("security",)


@pytest.mark.parametrize("atom", ["a.", "../", "/home/me"])
def test_names_of_files_are_looked_at_once(atom: str) -> None:
    assert areas_of([atom * 20_000], []) == ()
