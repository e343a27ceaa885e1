"""
Drawn lines of files and logs that hold no secret.

Redaction must leave them as they are.
"""

import base64
import hashlib
import random
import uuid
from collections.abc import Callable

Line = Callable[[random.Random], str]


def digest(chance: random.Random, size: int) -> bytes:
    """Return *size* bytes that look like a hash."""
    return hashlib.sha512(chance.randbytes(8)).digest()[:size]


def word(chance: random.Random) -> str:
    """Return two to ten letters."""
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10)))


SUBJECTS = (
    "password is hashed", "token expires", "secret rotates", "api key is checked", "reads utf8", "login works", "pass through", "key order", "cookie jar", "http2 server",
)  # fmt: skip
"""Subjects of tests, which often are about what redaction looks for."""


def subject(chance: random.Random, joint: str = " ") -> str:
    """Return the name of a test."""
    return joint.join((*chance.choice(SUBJECTS).split(), f"{word(chance)}{chance.randint(0, 99)}"))


def camel(chance: random.Random) -> str:
    """Return the name of a test in camel case."""
    return "".join(part.capitalize() for part in subject(chance).split())


RUNNERS: dict[str, Line] = {
    "pytest": lambda r: r.choice(
        (
            f"tests/test_{word(r)}.py::test_{subject(r, '_')} PASSED [ {r.randint(1, 99)}%]",
            (
                f"tests/{word(r)}/test_{word(r)}2.py::Test{camel(r)}::test_{subject(r, '_')}[{word(r)}-{r.randint(0, 9)}]"
                " FAILED"
            ),
            (
                f"FAILED tests/test_{word(r)}.py::test_{subject(r, '_')} - AssertionError: assert"
                f" {r.randint(1, 9)} == 2"
            ),
            f"XPASS tests/test_{word(r)}.py::test_{subject(r, '_')}",
        )
    ),
    "go test": lambda r: r.choice(
        (
            f"=== RUN   Test{camel(r)}/{subject(r, '_')}",
            f"--- PASS: Test{camel(r)} (0.{r.randint(10, 99)}s)",
            f"    --- PASS: Test{camel(r)}/{subject(r, '_')} (0.00s)",
            f"--- FAIL: Test{camel(r)} (1.{r.randint(10, 99)}s)",
            f"ok  \tgithub.com/acme/{word(r)}/auth{r.randint(1, 9)}\t0.{r.randint(100, 999)}s",
        )
    ),
    "jest": lambda r: r.choice(
        (
            f"PASS src/{word(r)}/{subject(r, '-')}.test.ts",
            f"PASS: {r.randint(1, 99)}-{subject(r, '-')}.spec.ts",
            f"  ✓ {subject(r)} ({r.randint(1, 99)} ms)",
            f"  ✕ {subject(r)}: expected {r.randint(1, 9)} to be {r.randint(1, 9)}",
            f" ✓ test/{word(r)}.test.js > {subject(r)} {r.randint(1, 99)}ms",
        )
    ),
    "automake and TAP": lambda r: r.choice(
        (
            f"PASS: {subject(r, '-')}",
            f"PASS: {word(r)}/{subject(r, '_')}",
            f"XFAIL: tests/{subject(r, '-')}",
            f"PASS: gdb.base/{word(r)}{r.randint(1, 9)}.exp: {subject(r)}",
            f"ok {r.randint(1, 99)} - {subject(r)}",
            f"not ok {r.randint(1, 99)} - {subject(r, '_')} # TODO",
            f"# pass: {r.randint(1, 9999)}",
        )
    ),
    "cargo test": lambda r: r.choice(
        (
            f"test auth::{word(r)}::{subject(r, '_')} ... ok",
            f"test {subject(r, '_')} - should panic ... ok",
            f"        PASS [   0.{r.randint(100, 999)}s] {word(r)} auth::tests::{subject(r, '_')}",
        )
    ),
    "JUnit": lambda r: r.choice(
        (
            (
                f"[INFO] Tests run: {r.randint(1, 99)}, Failures: 0, Errors: 0, Skipped: 0, Time"
                f" elapsed: 0.{r.randint(1, 9)} s - in com.acme.{camel(r)}Test"
            ),
            (
                f'<testcase name="{camel(r)}" classname="com.acme.{camel(r)}Test"'
                f' time="0.{r.randint(100, 999)}"/>'
            ),
            f"{camel(r)}Test > {subject(r)}() PASSED",
            f"result: pass: {subject(r, '-')}",
        )
    ),
    "commit hashes": lambda r: r.choice(
        (
            f"Fixed the {subject(r)} in commit {digest(r, 20).hex()}.",
            f"{word(r)} fix: {digest(r, 20).hex()}",
            f"the fix for the token is {digest(r, 6).hex()}",
            f"Reverted {digest(r, 4).hex()}: the secret was rotated too early",
            (
                f"{r.choice(('sonar', 'sentry', 'cloudflare', 'netlify', 'codecov', 'linear'))}"
                f" bump, {digest(r, 20).hex()}"
            ),
            f"bisect: {digest(r, 20).hex()} is the first bad commit ({subject(r)})",
        )
    ),
    "calls": lambda r: r.choice(
        (
            f"    password = get_{word(r)}({word(r)}_2)",
            f"const {{ password: hashed{r.randint(1, 9)}, {word(r)} }} = user",
            f"if token.kind == '{word(r)}_{r.randint(1, 9)}':",
            f"    {word(r)}(password, 'sha256')",
            f"secret = os.environ['{word(r).upper()}_SECRET{r.randint(1, 9)}']",
            f"apiKey: process.env.{word(r).upper()}_KEY{r.randint(1, 9)},",
            f"def {word(r)}(token: str, *, key: str = '{word(r)}') -> None:",
            f"  existingSecret: {word(r)}-postgresql{r.randint(10, 19)}",
            f"ENV GEM_HOME /usr/local/{word(r)}{r.randint(1, 9)}",
            f"password: {{{{ .Values.{word(r)}.password }}}}",
        )
    ),
}
"""Lines of test runners, and others that are about what redaction looks for."""


MADE: dict[str, Line] = {
    "package-lock.json": lambda r: (
        f'      "integrity": "sha512-{base64.b64encode(digest(r, 64)).decode()}",'
    ),
    "yarn.lock": lambda r: (
        "  resolved"
        f' "https://lock.example.org/@{word(r)}/{word(r)}/-/{word(r)}-{r.randint(0, 30)}.tgz#{digest(r, 20).hex()}"'
    ),
    "uv.lock": lambda r: (
        "    { url ="
        f' "https://files.example.org/{digest(r, 1).hex()}/{digest(r, 1).hex()}/{digest(r, 30).hex()}/{word(r)}-1.{r.randint(0, 9)}.tar.gz",'
        f' hash = "sha256:{digest(r, 32).hex()}", size = {r.randint(1000, 900000)} }},'
    ),
    "Cargo.lock": lambda r: f'checksum = "{digest(r, 32).hex()}"',
    "go.sum": lambda r: (
        f"github.com/{word(r)}/{word(r)} v1.{r.randint(0, 9)}.0"
        f" h1:{base64.b64encode(digest(r, 32)).decode()}"
    ),
    "git log": lambda r: f"commit {digest(r, 20).hex()}",
    "git diff": lambda r: f"index {digest(r, 5).hex()[:9]}..{digest(r, 5).hex()[:9]} 100644",
    "UUIDs": lambda r: (
        f'  "id": "{uuid.UUID(bytes=digest(r, 16))}", "session_id":'
        f' "{uuid.UUID(bytes=digest(r, 16))}",'
    ),
    "base64 lines": lambda r: base64.b64encode(digest(r, 57)).decode(),
    "images": lambda r: (
        "<img"
        f' src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{base64.b64encode(r.randbytes(600)).decode()}">'
    ),
    "minified JavaScript": lambda r: "".join(
        f"function {word(r)[:2]}({word(r)[0]}){{return"
        f" {word(r)[0]}.{word(r)}({r.randint(0, 99)})?{word(r)[:2]}:null}}"
        for _ in range(20)
    ),
    "prose": lambda r: " ".join(word(r) for _ in range(12)) + ".",
    "logs": lambda r: (
        f"2026-03-01T12:{r.randint(10, 59)}:30.123Z INFO [{word(r)}] took {r.randint(1, 9999)} ms"
        f" id={digest(r, 8).hex()}"
    ),
    "docker": lambda r: (
        f"{word(r)}/{word(r)}@sha256:{digest(r, 32).hex()}  {digest(r, 6).hex()} "
        f" {r.randint(1, 900)}MB"
    ),
    **RUNNERS,
    "addresses": lambda r: (
        f"https://{word(r)}.example.org:{r.randint(1000, 9000)}/{word(r)}/{digest(r, 6).hex()}?q={word(r)}@{word(r)}.org"
    ),
}
