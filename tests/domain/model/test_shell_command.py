"""The run that a shell command is about."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.shell_command import command_key, is_lookup


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("cd /srv/shop && CI=1 pytest -q tests 2>&1 | tail -20", "pytest -q tests"),
        ("timeout 60 make test > /scratch/log 2>&1; echo $?", "make test"),
        ("FOO='a b' sudo npm run build || true", "npm run build"),
        ("python - <<'EOF'\nimport secrets\nEOF", "python -"),
        ("cargo build && cargo test", "cargo build && cargo test"),
        ("/home/mia/p/.venv/bin/pytest tests/a.py", "pytest tests/a.py"),
        (r"C:\work\tools\west.exe build", "west.exe build"),
        ('git commit -m "a | b && c"', 'git commit -m "a | b && c"'),
        ("cd /srv/shop", "cd /srv/shop"),
        ("git log -3 && git push", "git push"),
        ("ls dist 2>/dev/null; npm install", "npm install"),
        ("cat dump.sql | psql shop", "psql shop"),
        ("cat build.log | grep error", "cat build.log && grep error"),
        ("", ""),
        (". .venv/bin/activate && pytest -q", "pytest -q"),
        ("[ -f x ] && make test", "make test"),
        ("pytest \\\n  -q tests", "pytest -q tests"),
        (
            'git commit -m "a -> b" && pytest -k "x > 1"',
            'git commit -m "a -> b" && pytest -k "x > 1"',
        ),
        ("files=$(cat list | head -3); pytest $files", "pytest $files"),
        ("make -j2 &> out.txt", "make -j2"),
        ("FLAG=1", "FLAG=1"),
        ("test -d node_modules || npm ci", "npm ci"),
        ("[ -d .venv ] || python -m venv .venv", "python -m venv .venv"),
        ("command -v uv || pip install uv", "pip install uv"),
        ("command -v uv", "command -v uv"),
        ("npm test || npm run repair", "npm test"),
        ("find . -name '*.py' -print0 | xargs -0 -n 20 mypy", "mypy"),
        ("git ls-files | xargs grep -l todo", "git ls-files && grep -l todo"),
        ("cat > a.py <<'EOF'\nprint('it's')\nEOF\npython a.py", "python a.py"),
        ("psql shop <<-SQL | tail -3\n  select 1;\n  SQL\nmake", "psql shop && make"),
        ("python - <<EOF\nEOFX = 1", "python -"),
        ("Set-Location C:\\work; $env:CI = 1; pytest -q | Select-Object -Last 5", "pytest -q"),
        ("Get-ChildItem dist; npm install", "npm install"),
        ("make 2>&1 | tee log; exit ${PIPESTATUS[0]}", "make"),
    ],
)
def test_a_key_is_the_run_itself(command: str, key: str) -> None:
    assert command_key(command) == key


@given(st.text(max_size=400))
@example("a='")
@example("<<" * 200)
def test_any_command_has_a_short_key(command: str) -> None:
    assert len(command_key(command)) <= 300


@given(st.text(max_size=300))
def test_a_null_character_is_no_sign_of_ours(command: str) -> None:
    assert command_key(command.replace("a", "\0" + "7\0")) == command_key(command.replace("a", "7"))


@pytest.mark.parametrize(
    "command", ["grep x y", "git log -3", "[ -f x ]", "test -f x", "diff a b", "command -v uv"]
)
def test_a_look_up_may_fail(command: str) -> None:
    assert is_lookup(command)


@pytest.mark.parametrize(
    "command",
    [
        "find-orphans src",
        "test-runner",
        "stat.sh",
        "tree-sitter generate",
        "git push",
        "find . -exec ruff {} +",
    ],
)
def test_a_program_with_such_a_beginning_is_none(command: str) -> None:
    assert not is_lookup(command)
