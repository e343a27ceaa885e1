"""Why the conversations of a folder are kept."""

from collections.abc import Sequence
from pathlib import Path

from hardwon.adapters.agents.user_files import JsonSetupRecord
from hardwon.domain.model.project import Conversations, KeepingReason
from hardwon.domain.use_cases.keep_conversations import reason_to_keep

PLACES = ("/src/project/below", "/src/project")


def reason(
    store: str,
    *,
    enabled: bool | None = None,
    chosen: Conversations | None = None,
    in_plugin: bool = False,
    has_files: bool = False,
    places: Sequence[str] = PLACES,
) -> KeepingReason | None:
    return reason_to_keep(
        enabled,
        chosen,
        in_plugin=in_plugin,
        has_files=lambda: has_files,
        record=lambda: JsonSetupRecord(store),
        places=lambda: places,
    )


def test_a_refusal_comes_before_everything(tmp_path: Path) -> None:
    store = str(tmp_path)

    assert reason(store, enabled=False, chosen="private", in_plugin=True, has_files=True) is None
    assert reason(store, enabled=True, chosen="off", in_plugin=True, has_files=True) is None


def test_a_choice_comes_before_the_setting_the_plugin_and_files(tmp_path: Path) -> None:
    store = str(tmp_path)

    assert reason(store, chosen="shared", enabled=True, in_plugin=True, has_files=True) == "init"
    assert reason(store, enabled=True, in_plugin=True, has_files=True) == "setting"
    assert reason(store, in_plugin=True, has_files=True) == "plugin"
    assert reason(store, has_files=True) == "files"


def test_without_any_sign_the_record_of_the_set_up_decides(tmp_path: Path) -> None:
    record = JsonSetupRecord(str(tmp_path))

    record.keep_everywhere(wanted=True)
    assert reason(str(tmp_path)) == "everywhere"
    record.keep_everywhere(wanted=False)
    assert reason(str(tmp_path)) is None
