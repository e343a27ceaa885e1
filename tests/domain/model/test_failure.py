"""Commands that failed: their keys, error lines and signatures."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.failure import Failure, signature_of


class Sample(NamedTuple):
    """The output of a tool, and the signature of its error."""

    command: str
    output: str
    signature: str


SAMPLES = {
    "pytest": Sample(
        "pytest -q",
        "F\n=== FAILURES ===\n>       parse(line)\nE       csvkit.BadRow: too many columns in feed\n\ntests/test_a.py:3: BadRow\n"
        "FAILED tests/test_a.py::test_x - csvkit.BadRow: too many columns in feed\n1 failed in 0.03s",
        "csvkit.BadRow: too many columns in feed",
    ),
    "unittest": Sample(
        "python -m unittest",
        'Traceback (most recent call last):\n  File "/p/t.py", line 3, in test\n    import yaml\n'
        "ModuleNotFoundError: No module named 'yaml'\n\nRan 1 test in 0.001s\n\nFAILED (errors=1)",
        "ModuleNotFoundError: No module named 'yaml'",
    ),
    "jest": Sample(
        "npx jest",
        "FAIL src/a.test.js\n  ● total \u203a adds\n\n    TypeError: cart.items.reduceBy is not a function\n\n      3 | x\n",
        "TypeError: cart.items.reduceBy is not a function",
    ),
    "vitest": Sample(
        "npx vitest run",
        " FAIL  src/u.test.ts\nReferenceError: localStorage is not defined\n \u276f src/u.ts:3:1\n",
        "ReferenceError: localStorage is not defined",
    ),
    "go test": Sample(
        "go test ./...",
        "--- FAIL: TestPool (0.01s)\npanic: assignment to entry in nil map [recovered]\nFAIL\texample.com/pool\t0.012s",
        "panic: assignment to entry in nil map [recovered]",
    ),
    "cargo": Sample(
        "cargo build",
        "   Compiling game v0.3.1 (/home/a/game)\nerror[E0277]: `Rc<Cell<u8>>` cannot be sent between threads safely\n"
        '  --> src/main.rs:12:5\nerror: could not compile `game` (bin "game") due to 1 previous error',
        "error[E0277]: `Rc<Cell<u8>>` cannot be sent between threads safely",
    ),
    "tsc": Sample(
        "npx tsc --noEmit",
        "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'Cents'.",
        "error TS2322: Type 'string' is not assignable to type 'Cents'.",
    ),
    "eslint": Sample(
        "npx eslint src",
        "/home/a/p/src/a.js\n  3:10  error  'total' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
        "<n>:<n> error 'total' is assigned a value but never used no-unused-vars",
    ),
    "mypy": Sample(
        "mypy src",
        'src/a.py:3: error: Library stubs not installed for "requests"  [import-untyped]\nFound 1 error in 1 file (checked 2 source files)',
        'error: Library stubs not installed for "requests" [import-untyped]',
    ),
    "ruff": Sample(
        "ruff check .",
        "F401 [*] `os` imported but unused\n --> a.py:1:8\nFound 1 error.",
        "F401 [*] `os` imported but unused",
    ),
    "npm": Sample(
        "npm ci",
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! A complete log of this run can be found in: /h/_logs/x.log",
        "ERESOLVE unable to resolve dependency tree",
    ),
    "pip": Sample(
        "pip install psycopg2",
        "Collecting psycopg2\n  Downloading psycopg2-2.9.9.tar.gz (384 kB)\nError: pg_config executable not found.\n"
        "error: subprocess-exited-with-error",
        "Error: pg_config executable not found.",
    ),
    "uv": Sample(
        "uv sync",
        "  \xd7 No solution found when resolving dependencies:\n  ╰─▶ Because torch==2.4 has no wheels with a matching platform tag, we can conclude",
        "No solution found when resolving dependencies:",
    ),
    "make": Sample(
        "make image",
        "mkdir -p build\nobjcopy: cannot open build/app.elf segment table\nmake: *** [Makefile:12: image] Error 1",
        "objcopy: cannot open <path> segment table",
    ),
    "cmake": Sample(
        "cmake -B build",
        '-- The C compiler identification is GNU 12.2.0\nCMake Error at CMakeLists.txt:4 (find_package):\n  Could not find a package configuration file provided by "Qt6"',
        "CMake Error at <path> (find_package):",
    ),
    "gcc": Sample(
        "gcc -o a main.c",
        "/usr/bin/ld: /scratch/ccKx81Zq.o: in function `main':\nmain.c:(.text+0x1f): undefined reference to `sqrt'\ncollect2: error: ld returned 1 exit status",
        "undefined reference to `sqrt'",
    ),
    "javac": Sample(
        "javac App.java",
        "App.java:3: error: incompatible types: possible lossy conversion from double to int\n1 error",
        "error: incompatible types: possible lossy conversion from double to int",
    ),
    "gradle": Sample(
        "./gradlew assembleDebug",
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\n> SDK location not found. Define a valid SDK with ANDROID_HOME\n\nBUILD FAILED in 3s",
        "SDK location not found. Define a valid SDK with ANDROID_HOME",
    ),
    "gradle script": Sample(
        "./gradlew test",
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not compile build file 'build.gradle'.\n> startup failed:\n  General error during conversion: Unsupported class file major version 65\n\nBUILD FAILED in 3s",
        "General error during conversion: Unsupported class file major version <n>",
    ),
    "docker": Sample(
        "docker compose up -d",
        "Error response from daemon: driver failed programming external connectivity on endpoint shop-db: port is already allocated",
        "Error response from daemon: driver failed programming external connectivity on endpoint shop-db: port is already allocated",
    ),
    "kubectl": Sample(
        "kubectl apply -f k8s/",
        'Error from server (Forbidden): deployments.apps is forbidden: User "ci" cannot create resource',
        'Error from server (Forbidden): deployments.apps is forbidden: User "ci" cannot create resource',
    ),
    "terraform": Sample(
        "terraform plan",
        "╷\n│ Error: Error acquiring the state lock\n│ \n│ Lock Info:\n│   ID: 0d2f5b1e-3f0c-6f3c-9b3d-0a1b2c3d4e5f\n╵",
        "Error: Error acquiring the state lock",
    ),
    "psql": Sample(
        "psql -f up.sql",
        'psql:up.sql:3: ERROR:  column "total" of relation "orders" contains null values',
        'ERROR: column "total" of relation "orders" contains null values',
    ),
    "git": Sample(
        "git push",
        "To github.example:a/b.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'github.example:a/b.git'",
        "! [rejected] main -> main (non-fast-forward)",
    ),
    "curl": Sample(
        "curl -fsS https://api.example/health",
        "curl: (60) SSL certificate problem: unable to get local issuer certificate",
        "curl: (<n>) SSL certificate problem: unable to get local issuer certificate",
    ),
    "bash": Sample(
        "./deploy.sh",
        "./deploy.sh: line 12: envsubst: command not found",
        "envsubst: command not found",
    ),
    "pyarrow": Sample(
        "python export.py",
        'Traceback (most recent call last):\n  File "/srv/x/export.py", line 9, in <module>\n    write()\n'
        "pyarrow.lib.ArrowInvalid: Casting from timestamp[ns] would lose data",
        "pyarrow.lib.ArrowInvalid: Casting from timestamp[ns] would lose data",
    ),
    "flyway": Sample(
        "java -jar app.jar",
        "\tat app.Main.main(Main.java:11)\nCaused by: org.flywaydb.core.api.FlywayValidateException: Validate failed: checksum mismatch",
        "org.flywaydb.core.api.FlywayValidateException: Validate failed: checksum mismatch",
    ),
    "docker build": Sample(
        "docker build .",
        "#13 77.11 FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed",
        "FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed",
    ),
    "uv pip": Sample(
        "uv pip install -r requirements.txt",
        "error: No solution found when resolving dependencies\n  cause: Because you require jsonschema>=4.20 and jsonschema==4.17.3",
        "cause: Because you require jsonschema>=<n> and jsonschema==<n>",
    ),
    "undici": Sample(
        "npx jest",
        "TypeError: fetch failed\n  AggregateError:\n    connect ECONNREFUSED ::1:45811",
        "connect ECONNREFUSED ::<n>:<n>",
    ),
    "wasm-bindgen": Sample(
        "wasm-bindgen app.wasm",
        "error: \n\nit looks like this wasm file was linked against another bindgen format\n",
        "it looks like this wasm file was linked against another bindgen format",
    ),
    "poetry": Sample(
        "poetry add settlement",
        "Resolving dependencies... (0.4s)\n\nBecause settlement (2.1) requires ledger-core (>=3.0)\n"
        " and shop depends on ledger-core (^2.4), settlement is forbidden.\nSo, because shop depends on settlement (^2.1), version solving failed.",
        "Because settlement (<n>) requires ledger-core (>=<n>)",
    ),
    "yarn": Sample(
        "yarn install --immutable",
        "\u27a4 YN0000: \u250c Resolution step\n\u27a4 YN0028: \u2502 The lockfile would have been modified by this install, which is explicitly forbidden.\n"
        "\u27a4 YN0000: Failed with errors in 0s 320ms",
        "\u27a4 YN0028: \u2502 The lockfile would have been modified by this install, which is explicitly forbidden.",
    ),
    "make rule": Sample(
        "make",
        "cc -c main.c\nmake[1]: *** No rule to make target 'settle', needed by 'shop'.  Stop.\nmake: *** [Makefile:3: all] Error 2",
        "make[<n>]: *** No rule to make target 'settle', needed by 'shop'. Stop.",
    ),
    "docker make": Sample(
        "docker build .",
        "#9 [5/6] RUN make settle\n#9 0.312 make: *** No rule to make target 'settle'.  Stop.\n"
        '#9 ERROR: process "/bin/sh -c make settle" did not complete successfully: exit code: 2',
        "make: *** No rule to make target 'settle'. Stop.",
    ),
    "rubocop": Sample(
        "rubocop",
        "lib/a.rb:14:3: C: Metrics/AbcSize: Branch condition size for settle_quarter is too high.\n\n1 file inspected, 1 offense detected",
        "C: <path>: Branch condition size for settle_quarter is too high.",
    ),
    "phpunit": Sample(
        "vendor/bin/phpunit",
        "..F\n\nThere was 1 failure:\n\n1) LedgerTest::testSettles\nFailed asserting that two ledgers have the same quarter.\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
        "Failed asserting that two ledgers have the same quarter.",
    ),
    "gcloud": Sample(
        "gcloud run deploy",
        "ERROR: (gcloud.run.deploy) PERMISSION_DENIED: the ledger account lacks the role run.developer",
        "(gcloud.run.deploy) PERMISSION_DENIED: the ledger account lacks the role run.developer",
    ),
    "cmd": Sample(
        "settle --all",
        "'settle' is not recognized as an internal or external command,\noperable program or batch file.",
        "'settle' is not recognized as an internal or external command,",
    ),
    "node": Sample(
        "node server.js",
        "node:internal/modules/cjs/loader:1228\n  throw err;\n\nError: Cannot find module 'express-session'\nRequire stack:\n- /srv/app/server.js",
        "Error: Cannot find module 'express-session'",
    ),
}


HIDDEN_FAILURES = {
    "bun": " 0 pass\n 1 fail\n 1 expect() calls",
    "cargo test": "test result: FAILED. 2 passed; 1 failed; 0 ignored",
    "ctest": "The following tests FAILED:\n\t 2 - settle (Failed)\n1/2 Test #2: settle ....***Failed",
    "dotnet build": "src/Ledger.cs(14,22): error CS1061: 'Invoice' has no definition\n    1 Error(s)",
    "dotnet test": "Failed!  - Failed:     1, Passed:    11, Skipped:     0",
    "elixir": "** (KeyError) key :settled_at not found in: %{amount: 3}",
    "googletest": "[  FAILED  ] Ledger.Settles (0 ms)",
    "gradle": "LedgerTest > settles() FAILED",
    "helm": "Error: UPGRADE FAILED: another operation is in progress",
    "jest": "Tests:       1 failed, 11 passed, 12 total",
    "make": "make: *** No rule to make target 'settle'.  Stop.",
    "maven": "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
    "mocha": "  2 passing (12ms)\n  1 failing",
    "ninja": "ninja: build stopped: subcommand failed.",
    "node": "Error: Cannot find module 'a'\n\nNode.js v20.10.0",
    "node test": "# pass 2\n# fail 1",
    "php": "PHP Fatal error:  Uncaught Error: Class not found in a.php:12",
    "phpunit": "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
    "pnpm": " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with a frozen lockfile",
    "psql": 'psql:x.sql:12: ERROR:  relation "settlements" does not exist',
    "pyright": "a.py:14:12 - error: Cannot access attribute",
    "pytest": "E       assert 1 == 2\n1 failed, 2 passed in 0.1s",
    "python": '  File "/srv/a.py", line 3, in <module>\nKeyError: 1',
    "rspec": "3 examples, 1 failure",
    "sbt": "[error] (Compile / compileIncremental) Compilation failed",
    "tap": "not ok 3 - settles",
    "terraform": "\u2502 Error: Error acquiring the state lock",
    "vite": "x Build failed in 312ms",
    "webpack": "webpack 5.89.0 compiled with 1 error in 312 ms",
}
NO_FAILURES = (
    "3 passed, 1 xfailed in 0.31s",
    "4 specs, 0 failures",
    "Tests run: 12, Failures: 0, Errors: 0, Skipped: 0",
    "web1 : ok=1 changed=0 unreachable=0 failed=0 skipped=0",
    "test result: ok. 3 passed; 0 failed; 0 ignored",
    "100% tests passed, 0 tests failed out of 12",
    "# fail 0",
    "not ok 3 - slow path # TODO later",
    "retry 1 failed, trying again",
    "    Error: boom",
    "12 files inspected, no offenses detected",
    "\u2716 3 problems (0 errors, 3 warnings)",
    "webpack 5.89.0 compiled with 2 warnings in 312 ms",
    "test errors::reports_error_e0277 ... ok",
    "The last build failed yesterday",
    "completed\tfailure\tfix tests",
)


@pytest.mark.parametrize("tool", SAMPLES)
def test_the_error_line_of_each_tool_is_found(tool: str) -> None:
    sample = SAMPLES[tool]

    assert sample.signature in Failure(sample.command, sample.output).signatures


@pytest.mark.parametrize("tool", SAMPLES)
def test_colours_progress_and_another_machine_do_not_change_a_signature(tool: str) -> None:
    sample = SAMPLES[tool]
    elsewhere = sample.output.replace("/home/a/", "/builds/7f3c/").replace("ccKx81Zq", "cc7f3cAb")
    coloured = "\n".join(f"\x1b[31m{line}\x1b[0m" for line in elsewhere.split("\n"))

    found = Failure(sample.command, f" 10%\r 90%\r{coloured}\r\n[#####>    ] 50%\n")
    assert sample.signature in found.signatures


RUNNERS = {
    "docker compose": "app-1  | ",
    "docker compose logs -t": "app-1  | 2026-11-20T09:14:02.113840121Z ",
    "docker service": "ledger_api.1.x9k2lq0v7h1d@node-3    | ",
    "foreman": "16:46:30 web.1    | ",
    "overmind": "web     | ",
    "turbo": "@kiln/ui:build: ",
    "pnpm": "packages/a test: ",
    "lerna": "@kiln/ledger: ",
    "nx": "ledger: ",
    "concurrently": "[0] ",
    "concurrently by name": "[web] ",
    "yarn": "[@kiln/ledger]: ",
    "kubectl": "[pod/ledger-7cfd7bf68f-nk5kr/app] ",
    "journal": "Nov  7 12:01:03 kiln-3 python3[9777]: ",
    "journal by ISO": "2026-11-27T12:01:02+0000 kiln-3 java[881]: ",
    "heroku": "2026-11-20T09:14:05.113840+00:00 app[web.1]: ",
    "gh": "test (3.12)\tRun tests\t2026-11-20T09:14:02.1138401Z ",
    "gitlab": "2026-11-20T09:14:04.113841Z 01E ",
    "compose on gh": "e2e\tStart\t2026-11-20T09:14:02.1138401Z app-1  | ",
    "turbo in compose": "app-1  | web:build: ",
    "torchrun": "[rank1]: ",
    "ray": "(settle pid=2211) ",
    "nix": "ledger> ",
    "bun": "shop-web build: ",
}


@given(sample=st.sampled_from([*SAMPLES.values()]), runner=st.sampled_from([*RUNNERS]))
def test_a_failure_is_the_same_behind_the_label_of_a_runner(sample: Sample, runner: str) -> None:
    output = f"starting\n  first\n\n  second\n{sample.output}"
    labelled = "\n".join(f"{RUNNERS[runner]}{line}".rstrip() for line in output.split("\n"))
    bare, behind = Failure(sample.command, output), Failure(sample.command, labelled)

    assert behind.lines == bare.lines
    assert behind.signatures == bare.signatures
    assert behind.is_shown == bare.is_shown


@pytest.mark.parametrize(
    "frame",
    [
        "at Timeout._onTimeout (/srv/shop/t.js:1:42)",
        "at async failing (file:///srv/shop/t.js:1:42) {",
        "at io.kiln.ErrorHandler.fail(ErrorHandler.java:3)",
    ],
)
def test_a_frame_of_a_stack_tells_no_error(frame: str) -> None:
    output = f"Error: quarter ledger is locked\n    {frame}\n"

    assert Failure("npm test", output).error_lines == ("Error: quarter ledger is locked",)


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: assert 3 == 4",
        "SyntaxError: invalid syntax",
        "IndexError: list index out of range",
        "ZeroDivisionError: division by zero",
        "AttributeError: 'NoneType' object has no attribute 'get'",
        "ValueError: invalid literal for int() with base 10: 'x'",
        "TypeError: Cannot read properties of undefined (reading 'x')",
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "PermissionError: [Errno 13] Permission denied",
        "Segmentation fault (core dumped)",
        "FAILED (errors=1)",
        "E   assert False is True",
        "make: *** [Makefile:3: all] Error 2",
        "error: command failed",
    ],
)
def test_a_line_that_says_too_little_has_no_signature(line: str) -> None:
    assert signature_of(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "ModuleNotFoundError: No module named 'yaml'",
        "AttributeError: module 'functools' has no attribute 'lru_cache'",
        "ImportError: cannot import name 'escape' from 'jinja2'",
        "TypeError: connect() got an unexpected keyword argument 'pool'",
    ],
)
def test_an_error_that_names_something_has_a_signature(line: str) -> None:
    assert signature_of(line) == line


SECRETS = (
    "xoxb-123456789012-123456789012-abcdefghijABCDEFGHIJabcd",
    "ghp_" + "a1B2" * 9,
    "hunter2correcthorse",
)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("padding", [0, 270, 290, 480, 495])
def test_no_part_of_a_secret_is_read(secret: str, padding: int) -> None:
    given = f"--password={secret}" if secret.startswith("hunter") else secret
    line = f"error: carrier {'x' * padding} rejected {given} for zebra"
    failure = Failure(f"deploy {'y' * padding} {given}", f"{line}\n{line}")

    read = "\n".join((failure.key, failure.question, *failure.lines, *failure.signatures))
    assert not any(secret[at : at + 9] in read for at in range(len(secret) - 9))


def test_a_secret_at_a_cut_is_dropped_with_its_line() -> None:
    secret = "ghp_" + "a1B2" * 9
    before, after = "a line\n" * 1_427, "more\n" * 9_000
    for shift in range(0, 60, 7):
        output = f"{before}{'z' * shift}{secret}\n{after}error: zebra is gone"
        assert "a1B2a1B2" not in "\n".join(Failure("make", output).lines)


@pytest.mark.parametrize(
    ("command", "output", "is_shown"),
    [
        ("pytest -q | tail -3", "FAILED tests/a.py::test_b - KeyError: 'x'\n1 failed", True),
        ("make 2>&1 | tail -5", "gcc: fatal error: no input files\nmake: *** [a] Error 1", True),
        ("npm run build | cat", "npm ERR! Missing script: build", True),
        ("cat build.log", "Traceback (most recent call last):\nValueError: x", False),
        ("git log -3", "fatal: a word of a commit", False),
        ("grep -rn error src", "src/a.py: error: here", False),
        ("pytest -q | tail -3", "3 passed in 0.1s", False),
    ],
)
def test_an_output_shows_a_failure_that_a_pipe_hid(
    command: str, output: str, *, is_shown: bool
) -> None:
    assert Failure(command, output).is_shown is is_shown


def test_a_text_names_an_error_with_other_paths_and_numbers() -> None:
    failure = Failure("x", "/srv/a.py:3: error: worker 7 lost its broker connection")

    assert failure.is_named_in(
        "We saw `/home/mia/b.py:12: error: worker 12 lost its broker connection`."
    )
    assert not failure.is_named_in("The worker lost its connection.")


@pytest.mark.parametrize("end", HIDDEN_FAILURES.values(), ids=HIDDEN_FAILURES)
def test_the_last_lines_of_a_tool_show_its_failure(end: str) -> None:
    assert Failure("run | tail -5", f"a line before\n{end}").is_shown


@pytest.mark.parametrize("line", NO_FAILURES)
def test_a_line_of_a_command_that_passes_shows_no_failure(line: str) -> None:
    assert not Failure("run | tail -5", f"a line before\n{line}\na line after").is_shown


@given(st.text(max_size=2_000), st.text(max_size=200))
def test_any_output_gives_a_bounded_question(output: str, command: str) -> None:
    failure = Failure(command, output)

    assert len(failure.question) <= 1_500
    assert len(failure.gist.split()) <= 60
    assert len(failure.error_lines) <= 6
    assert len(failure.signatures) <= 4


def test_lines_that_point_to_an_error_are_used_only_without_it() -> None:
    pointers = "FAILED tests/test_a.py::test_b\nFound 1 error in 1 file"

    assert Failure("mypy .", pointers).error_lines
    error = 'shop/db.py:3: error: Library stubs not installed for "yaml"'
    (line,) = Failure("mypy .", f"{pointers}\n{error}").error_lines
    assert line.endswith('error: Library stubs not installed for "yaml"')


def test_the_files_that_a_pull_changed_are_no_output_of_the_failure() -> None:
    pulled = (
        " jobs/batch.py      |  44 ++++++++---\n docs/pier.png | Bin 0 -> 513 bytes\n"
        " 2 files changed, 30 insertions(+), 14 deletions(-)\n create mode 100644 docs/pier.png\n"
    )
    table = " id | total\n 41 | 3\n"

    lines = Failure("git pull && pytest", f"{pulled}{table}E   KeyError: 'pier'").lines
    assert lines == ("id | total", "41 | 3", "E   KeyError: 'pier'")


@pytest.mark.parametrize(
    "part", ["a", " ", "a |", "| 3 +", "a.", "a.B", "#1 1.1 ", "ECONN", "error:"]
)
def test_a_long_line_is_ranked_at_once(part: str) -> None:
    failure = Failure("run", part * (40_000 // len(part)))

    assert len(failure.error_lines) <= 6


def test_an_empty_output_has_no_error_line() -> None:
    assert Failure("test -f x", "").error_lines == ()
