import attrs

from hardwon.adapters.agents.programs import is_server, toml_text
from hardwon.adapters.agents.toml_table import has_table, is_toml, read_toml, with_line, with_table, without_table
from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.hook_groups import Document
from hardwon.domain.model.setup.servers import with_server, without_server

COMMAND = "command"


@attrs.frozen(kw_only=True)
class TomlTarget:
    """
    A TOML file with a table of ours for a server, which is known by its name and its command.

    Agents write such files anew: they drop comments, and put tables of others beside ours.

    Attributes:
        path: Where it is, absolute.
        root: The folder that it may not lead out of.
        place: The table that holds those of servers.
        name: What ours is called there.
        command: Our program.

    """

    path: str
    root: str
    place: str
    name: str
    command: str

    def snippet(self, text: str | None) -> str:
        """Return what a user would add by hand: a table, or one line within the table of servers that is closed."""
        is_closed = self._is_closed(text or "")
        return f"{self.name} = {{ {self._line} }}" if is_closed else f"[{self._title}]\n{self._line}"

    def with_ours(self, text: str | None) -> str:
        """Return *text* with our table, at its end if there was none; all that is not its command as it was."""
        text = text or ""
        document = read_toml(text)
        ours = document.get(self.place, {}).get(self.name) if self._is_in(document, text) else None
        wanted = with_server(document, self.place, self.name, {**(ours or {}), COMMAND: self.command}, is_server)
        if wanted == document:
            return text
        if not ours and self._is_closed(text):
            raise UneditableFileError(f"{self.place} is written as one value, which ours has to stand in")
        after = with_line(text, self._keys, COMMAND, self._line) if ours else with_table(text, self._keys, self._line)
        return self._proven(after, wanted)

    def without_ours(self, text: str) -> str:
        """Return *text* without our table."""
        document = read_toml(text)
        if not self._is_in(document, text):
            return text
        wanted = without_server(document, self.place, self.name, is_server)
        return self._proven(without_table(text, self._keys), wanted)

    def ensure_not_taken(self, text: str) -> None:
        """Raise where there is a server of that name that is not ours, or not in a table of its own."""
        document = read_toml(text)
        self._is_in(document, text)
        with_server(document, self.place, self.name, {}, is_server)

    def is_blank(self, text: str) -> bool:
        """Tell whether there is nothing but space."""
        return not text.strip()

    @property
    def _keys(self) -> tuple[str, str]:
        return self.place, self.name

    @property
    def _title(self) -> str:
        return f"{self.place}.{self.name}"

    @property
    def _line(self) -> str:
        return f"{COMMAND} = {toml_text(self.command)}"

    def _is_closed(self, text: str) -> bool:
        """Tell whether no header can add to the table of servers, as to one in braces."""
        try:
            has_servers = isinstance(read_toml(text).get(self.place), dict)
        except UneditableFileError:
            return False
        another = with_table(text, (self.place, f"not-{self.name}"), "")
        return has_servers and not is_toml(another)

    def _is_in(self, document: Document, text: str) -> bool:
        is_in = without_server(document, self.place, self.name, is_server) is not document
        if is_in and not has_table(text, self._keys):
            raise TakenNameError(f"there is a {self._title} of your own, without a table [{self._title}]")
        return is_in

    def _proven(self, text: str, wanted: Document) -> str:
        """Return *text* if it says what is *wanted*, but for a table of servers that holds none."""
        try:
            said = read_toml(text)
        except UneditableFileError:
            said = None
        if said and said.get(self.place) == {} and self.place not in wanted:
            del said[self.place]
        if said != wanted:
            raise UneditableFileError(f"[{self._title}] can't be changed without the rest: edit it by hand")
        return text
