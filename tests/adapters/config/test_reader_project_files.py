import json
import math
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.config.table import TABLE, key, variables
from tests.adapters.config.project import DEFAULTS, LOCAL_MD, resolve, write

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


@posix
@pytest.mark.parametrize("name", [LOCAL_MD, ".tlc.json", "config.jsonc"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "loop", "device", "huge"])
def test_only_small_regular_files_are_read(tmp_path: Path, name: str, kind: str) -> None:
    odd = tmp_path / name
    odd.parent.mkdir(exist_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(odd)
        case "folder":
            odd.mkdir()
        case "loop":
            odd.symlink_to(odd)
        case "device":
            odd.symlink_to("/dev/zero")
        case _:
            odd.write_text("{}" + " " * 2**20, "utf-8")
    before = sorted(Path("/dev/fd").iterdir())
    found = resolve(tmp_path)

    assert found.settings == DEFAULTS
    assert len(found.warnings) == 1
    assert name in found.warnings[0]
    assert sorted(Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize("text", ["{", "null", "{]", b"\xff\xfe\x00", b"\x00" * 100])
def test_a_malformed_json_file_is_one_warning(tmp_path: Path, text: str | bytes) -> None:
    write(tmp_path, tlc=text, config='{"memory_injection_limit": 5}')
    found = resolve(tmp_path)

    assert found.settings.injection_limit == 5
    assert len(found.warnings) == 1


def test_a_claude_that_is_a_file_holds_no_settings(tmp_path: Path) -> None:
    (tmp_path / ".claude").touch()

    assert resolve(tmp_path).warnings == ()


def with_a_whole_path(environ: dict[str, str]) -> dict[str, str]:
    """Give the store a whole path: a relative one is refused."""
    return {
        name: f"{os.sep}{text}" if name == "HARDWON_STORE" else text
        for name, text in environ.items()
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    local_md=st.binary()
    | st.sampled_from(sorted(TABLE)).flatmap(lambda f: st.text().map(f"{key(f)}: ".__add__)),
    tlc=st.binary()
    | st.dictionaries(st.sampled_from([key(f) for f in TABLE]), st.text() | st.floats()).map(
        json.dumps
    ),
    config=st.binary() | st.text(alphabet='{}[]",:/*\\ \n1a'),
    environ=st.dictionaries(st.sampled_from([variables(f)[-1] for f in TABLE]), st.text()).map(
        with_a_whole_path
    ),
)
@example(local_md="", tlc='{"memory_embedding_model": "\\ud800\\n"}', config="", environ={})
@example(
    local_md="", tlc="{" + '"memory_injection_limit": ' + "9" * 5000 + "}", config="", environ={}
)
def test_nothing_in_the_sources_raises(
    tmp_path: Path,
    local_md: bytes | str,
    tlc: bytes | str,
    config: bytes | str,
    environ: dict[str, str],
) -> None:
    files = {"local_md": local_md, "tlc": tlc, "config": config}
    write(tmp_path, **{name: _bytes(text) for name, text in files.items()})
    found = resolve(tmp_path, environ)

    assert math.fsum(found.settings[4:7]) == pytest.approx(1, abs=1e-9)
    assert all("\n" not in warning for warning in found.warnings)
    found.settings.embedding_model.encode("utf-8")


def _bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
