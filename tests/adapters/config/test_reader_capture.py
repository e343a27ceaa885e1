from pathlib import Path

import pytest

from tests.adapters.config.project import DEFAULTS, resolve, write


def test_the_older_name_of_the_interval_is_understood(tmp_path: Path) -> None:
    write(tmp_path, config='{"triggers": {"autoSaveInterval": 20}}')

    assert resolve(tmp_path).settings.capture_interval == 20


@pytest.mark.parametrize("value", ["0", "21", "-1", "often"])
def test_an_interval_that_is_none_of_1_to_20_is_the_default_with_one_warning(
    tmp_path: Path, value: str
) -> None:
    resolved = resolve(tmp_path, {"HARDWON_CAPTURE_INTERVAL": value})

    assert resolved.settings == DEFAULTS
    assert len(resolved.warnings) == 1


@pytest.mark.parametrize(
    ("value", "expected"), [("true", True), ("false", False), ("yes", False), ("1", False)]
)
def test_capture_is_on_unless_it_is_set_to_anything_but_true(
    tmp_path: Path, value: str, *, expected: bool
) -> None:
    assert resolve(tmp_path).settings.capture_enabled is None
    assert (
        resolve(tmp_path, {"HARDWON_CAPTURE_ENABLED": value}).settings.capture_enabled is expected
    )
