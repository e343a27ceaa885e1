from hardwon.adapters.agents.plugin import COMMANDS
from hardwon.adapters.agents.table import AGENTS
from hardwon.domain.model.own_files import OWN_FILES


def test_every_command_file_of_an_agent_is_among_them() -> None:
    forms = [facts.commands for facts in AGENTS if facts.commands]
    written = {form.path.format(name=name.replace("/", form.separator)) for form in forms for name in COMMANDS}

    assert written
    assert written == {pattern for pattern in OWN_FILES if pattern.startswith(".")}
