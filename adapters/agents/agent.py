"""A coding agent's settings in the user's home: files, connection and advice."""

import os
import shlex
import shutil
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from hardwon.adapters.agents.config_edit import (
    Document,
    are_for_tools,
    our_commands,
    servers_called,
)
from hardwon.adapters.agents.edit_json import read_document
from hardwon.adapters.agents.edit_toml import read_toml
from hardwon.adapters.agents.server_hooks import (
    HIDDEN,
    OUTDATED,
    REACHABLE,
    UNREACHABLE,
    Reach,
    calling_hook,
    clients_on,
    reach_of,
    server_in,
)
from hardwon.adapters.agents.table import (
    NAME,
    PLUGIN,
    SECONDS,
    SERVER,
    AgentFacts,
    JsonFile,
    PluginFile,
    Programs,
    TomlFile,
    program_in,
)
from hardwon.adapters.agents.targets import (
    JsonTarget,
    TomlTarget,
    WholeTarget,
    command_text,
    hook_in,
    plugin_text,
    rules_text,
)
from hardwon.adapters.agents.user_files import DiskUserFiles
from hardwon.adapters.agents.wants import Host, wants_of
from hardwon.domain.model.errors import UneditableFileError
from hardwon.ports.agents import BY_PLUGIN, Agent, Connection, SetupTarget
from hardwon.ports.override import override

UNTRIED = "untried, written by its documentation as no program was here to run it; "


class ConfiguredAgent(Agent):
    """
    A coding agent in a user's home, by its row of the table.

    Args:
        facts: Its row.
        environ: The environment, which may move the folder of settings.
        commands: Texts of the plugin's commands by name, such as `recall` or `tlc/recall`.
        names_server: Whether a file of the project names the server too, for an agent that reads
            one.
    """

    def __init__(
        self,
        facts: AgentFacts,
        home: str,
        environ: Mapping[str, str],
        programs: Programs,
        commands: Mapping[str, str],
        *,
        names_server: bool = False,
    ) -> None:
        self._facts = facts
        self._folder = facts.settings_folder(environ, home)
        self._root = facts.root(environ, home)
        self._environ = environ
        self._programs = programs
        self._commands = commands
        self._project_file = facts.project_server if names_server else None

    @property
    @override
    def name(self) -> str:
        return self._facts.name

    @property
    @override
    def title(self) -> str:
        return self._facts.title

    @property
    @override
    def program(self) -> str:
        return self._facts.program

    @property
    @override
    def is_untried(self) -> bool:
        return self._facts.is_untried

    @property
    @override
    def is_there(self) -> bool:
        return os.path.isdir(self._folder)

    @override
    def targets(self) -> Sequence[SetupTarget]:
        return [self._target(file) for file in self._facts.files if self._is_wanted(file)]

    @override
    def unwanted(self) -> Sequence[SetupTarget]:
        return [self._target(file) for file in self._facts.files if not self._is_wanted(file)]

    @override
    def project_targets(self, project: str) -> Sequence[SetupTarget]:
        return [
            *self._command_files(project),
            *self._rules_files(project),
            *(() if self._has_plugin else self._project_servers(project)),
        ]

    @override
    def project_unwanted(self, project: str) -> Sequence[SetupTarget]:
        return self._project_servers(project) if self._has_plugin else ()

    @override
    def connection(self) -> Connection:
        ways, programs = [BY_PLUGIN] if self._has_plugin else [], list[str]()
        for file in self._facts.files:
            found = self._programs_called_in(file)
            programs += found
            if found or (self._servers_called_in(file) and not self._has_plugin):
                ways.append(self._path(file.name))
        return Connection(tuple(ways), tuple(filter(_is_gone, programs)))

    @override
    def obstacle(self, project: str) -> str:
        for member, path, root in self._off_switches(project):
            is_off = self._settings(path, root).get(member)
            if isinstance(is_off, bool):
                return f'"{member}": true in {path}' if is_off else ""
        return ""

    @override
    def wants(self, project: str, start_seconds: Callable[[], float]) -> Sequence[str]:
        server, has_plugin = self._programs.server, self._has_plugin
        host = Host(
            folder=self._folder,
            root=self._root,
            project=project,
            server=server,
            read=self._document,
            start_seconds=start_seconds,
            has_plugin=has_plugin,
        )
        return [*wants_of(self.name, host), *self._wants_of_server_hooks()]

    @override
    def next_step(self) -> str:
        facts = self._facts
        without_server = (
            facts.next_step_with_plugin
            if self._has_plugin
            else facts.next_step_with_server * bool(self._reach.server)
        )
        untried = UNTRIED * facts.is_untried
        step = untried + (
            without_server or facts.next_step.format(server=shlex.quote(self._programs.server))
        )
        if shutil.which(SERVER, path=self._search_path):
            return step
        return step + self._facts.path_advice.format(folder=os.path.dirname(self._programs.server))

    def _wants_of_server_hooks(self) -> Iterator[str]:
        wanted = dict.fromkeys(self._hooks.keys() & self._server_hooks, self._reach.server)
        for file in self._facts.files:
            if isinstance(file, JsonFile) and file.has_hooks:
                document = self._settings_in(file)
                present = servers_called(document)
                if present and not wanted:
                    yield UNREACHABLE.format(self._path(file.name), self._reach.obstacle)
                elif present != wanted:
                    yield REACHABLE.format(self._reach.server)
                elif not are_for_tools(document, self._matchers):
                    yield OUTDATED.format(self._path(file.name))

    def _servers_called_in(self, file: JsonFile | TomlFile | PluginFile) -> Mapping[str, str]:
        return servers_called(self._settings_in(file)) if isinstance(file, JsonFile) else {}

    def _settings_in(self, file: JsonFile) -> Document:
        return self._settings(self._path(file.name), may_comment=file.may_comment)

    @property
    def _search_path(self) -> str:
        return self._environ.get("PATH", "")

    @property
    def _has_plugin(self) -> bool:
        if (switch := self._facts.plugin) is None:
            return False
        plugins = self._settings(self._path(switch.file)).get(switch.place)
        return any(
            name.startswith(PLUGIN) and _is_on(entry, switch.member)
            for name, entry in (plugins.items() if isinstance(plugins, dict) else ())
        )

    def _is_wanted(self, file: JsonFile | TomlFile | PluginFile) -> bool:
        has_own_hooks = isinstance(file, JsonFile) and file.has_hooks and bool(self._hooks)
        return has_own_hooks or not self._has_plugin

    def _target(self, file: JsonFile | TomlFile | PluginFile) -> SetupTarget:
        path = self._path(file.name)
        match file:
            case JsonFile():
                hooks = self._hooks if file.has_hooks else None
                target = _json_target(
                    path, self._root, file=file, program=self._programs.server, hooks=hooks
                )
                return attrs.evolve(target, matchers=self._matchers)
            case TomlFile():
                server = self._programs.server
                return TomlTarget(
                    path=path, root=self._root, place=file.place, name=NAME, command=server
                )
            case PluginFile():
                return WholeTarget(
                    path=path, root=self._root, text=plugin_text(self._programs.hook)
                )

    @property
    def _hooks(self) -> dict[str, Sequence[Document]]:
        """
        The hooks in its settings, beside the plugin those that call the server.

        A process answers what it can if no server does.
        """
        by_server = self._server_hooks
        by_process = {} if self._has_plugin else self._process_hooks(guarded=by_server)
        events = dict.fromkeys((*by_process, *by_server))
        both = {event: (by_server.get(event), by_process.get(event)) for event in events}
        return {event: [hook for hook in hooks if hook] for event, hooks in both.items()}

    @property
    def _matchers(self) -> Mapping[str, str]:
        hooks = self._facts.hooks
        by_server = hooks.by_server.matchers if hooks.by_server and self._server_hooks else {}
        return {**hooks.matchers, **by_server}

    @property
    def _server_hooks(self) -> Mapping[str, Document]:
        """The hooks that call the running server, if that is possible in all projects."""
        by_server, server = self._facts.hooks.by_server, self._reach.server
        if by_server is None or not server:
            return {}
        return {event: calling_hook(by_server, server, event) for event in by_server.matchers}

    @cached_property
    def _reach(self) -> Reach:
        by_server = self._facts.hooks.by_server
        if by_server is None:
            return Reach()
        if hidden := [
            name
            for name, value in self._environ.items()
            if value and name.startswith(by_server.hidden)
        ]:
            return Reach(obstacle=HIDDEN.format(min(hidden)))
        return reach_of(
            by_server,
            by_server.in_plugin if self._has_plugin else self._server_name(by_server.servers),
            program=self.program,
            clients=clients_on(self._search_path, self.program),
        )

    def _server_name(self, registered: tuple[str, str] | None) -> str:
        """Return the name of the server in all projects, empty for none."""
        if registered:
            name, place = registered
            return server_in(
                self._servers(os.path.join(self._root, name), place), self._programs.server
            )
        [file] = (file for file in self._facts.files if isinstance(file, TomlFile))
        servers = self._servers(self._path(file.name), file.place)
        return server_in(servers, self._programs.server) or NAME * (NAME not in servers)

    def _servers(self, path: str, place: str) -> Document:
        servers = self._settings(path).get(place)
        return servers if isinstance(servers, dict) else {}

    def _process_hooks(self, guarded: Container[str]) -> dict[str, Document]:
        hooks = self._facts.hooks
        command = self._programs.hook_command(*(("--host", hooks.host) if hooks.host else ()))
        named = {"name": NAME} if hooks.is_named else {}
        return {
            event: {
                **named,
                "type": "command",
                "command": self._programs.guard * (event in guarded) + command,
                "timeout": SECONDS[own_event] * hooks.ticks,
            }
            for event, own_event in hooks.events.items()
        }

    def _rules_files(self, project: str) -> Iterator[WholeTarget]:
        if rules := self._facts.rules:
            path = os.path.join(project, rules.path)
            yield WholeTarget(path=path, root=project, text=rules_text(rules.head))

    def _command_files(self, project: str) -> Iterator[WholeTarget]:
        if (wanted := self._facts.commands) is None:
            return
        for name, text in self._commands.items():
            own_name = name.replace("/", wanted.separator)
            path = os.path.join(project, wanted.path.format(name=own_name))
            yield WholeTarget(
                path=path, root=project, text=command_text(own_name, text, wanted.form)
            )

    def _project_servers(self, project: str) -> Sequence[SetupTarget]:
        if (file := self._project_file) is None:
            return ()
        return [
            _json_target(
                os.path.join(project, file.name), project, file=file, program=self._programs.server
            )
        ]

    def _programs_called_in(self, file: JsonFile | TomlFile | PluginFile) -> list[str]:
        match file:
            case JsonFile():
                commands = our_commands(self._settings_in(file))
                return [program_in(command) for command in commands]
            case TomlFile():
                return []
            case PluginFile():
                return hook_in(_text(self._path(file.name), self._root))

    def _off_switches(self, project: str) -> Iterator[tuple[str, str, str]]:
        if switch := self._facts.hooks_off:
            for name in switch.project_files:
                yield switch.member, os.path.join(project, name), project
            yield switch.member, self._path(switch.file), self._root

    def _settings(self, path: str, root: str = "", *, may_comment: bool = False) -> dict[str, Any]:
        text = _text(path, root or self._root)
        try:
            return (
                read_toml(text)
                if path.endswith(".toml")
                else read_document(text, may_comment=may_comment)
            )
        except UneditableFileError:
            return {}

    def _document(self, path: str) -> Document:
        is_of_user = path.startswith(os.path.join(self._root, ""))
        may_comment = any(
            isinstance(file, JsonFile) and file.may_comment for file in self._facts.files
        )
        return self._settings(
            path, self._root if is_of_user else os.path.dirname(path), may_comment=may_comment
        )

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _json_target(
    path: str,
    root: str,
    file: JsonFile,
    program: str,
    hooks: Mapping[str, Sequence[Document]] | None = None,
) -> JsonTarget:
    target = JsonTarget(
        path=path, root=root, hooks=hooks or {}, schema=file.schema, may_comment=file.may_comment
    )
    if (server := file.server) is None:
        return target
    return attrs.evolve(target, place=server.place, name=server.name, server=server.entry(program))


def _text(path: str, root: str) -> str:
    try:
        return DiskUserFiles().read(path, root) or ""
    except UneditableFileError:
        return ""


def _is_gone(program: str) -> bool:
    return os.path.isabs(program) and not os.path.isfile(program)


def _is_on(entry: object, member: str) -> bool:
    return (entry.get(member) if isinstance(entry, dict) and member else entry) is True
