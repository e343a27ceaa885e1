"""Files of agents, by how what is ours stands in them."""

import contextlib
import json
from collections.abc import Callable, Mapping

import attrs

from hardwon.adapters.agents.edit_json import edited, read_document
from hardwon.adapters.agents.edit_toml import has_table, is_toml, read_toml, with_line, with_table, without_table
from hardwon.adapters.agents.programs import is_server, toml_text
from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.formats.config_edit import Document, with_server, without_server

SCHEMA = "$schema"


@attrs.frozen(kw_only=True)
class JsonTarget:
    """
    A JSON file with members of ours.

    Attributes:
        path: Where it is, absolute.
        root: The folder that it may not lead out of.
        put: Brings what is ours into the document.
        cut: Takes it out.
        put_too: Brings in the rest after it, unless the user has something by its name: that stays, and ensure_not_taken raises.
        may_comment: Whether its agent reads comments in it.

    """

    path: str
    root: str
    put: Callable[[Document], Document]
    cut: Callable[[Document], Document]
    put_too: Callable[[Document], Document] = lambda document: document
    may_comment: bool = False

    def snippet(self, text: str | None) -> str:
        """Return what a user would add by hand: the rest where all else can be brought in."""
        ours = self.put_too({} if self._is_rest_taken(text or "") else self.put({}))
        return json.dumps(ours, indent=2, ensure_ascii=False)

    def with_ours(self, text: str | None) -> str:
        """Return *text* with what is ours, the user's own as it was."""
        document = self._read(text or "")
        return edited(text or "", document, self._with_what_fits(document), may_comment=self.may_comment)

    def without_ours(self, text: str) -> str:
        """Return *text* without what is ours."""
        document = self._read(text)
        return edited(text, document, self.cut(document), may_comment=self.may_comment)

    def ensure_not_taken(self, text: str) -> None:
        """Raise where *put* or *put_too* does."""
        self.put_too(self.put(self._read(text)))

    def is_blank(self, text: str) -> bool:
        """Tell whether the document is empty, but for the schema that some agents add by themselves."""
        return self._read(text).keys() <= {SCHEMA}

    def _with_what_fits(self, document: Document) -> Document:
        begun = self.put(document)
        return begun if self._is_taken(begun) else self.put_too(begun)

    def _is_rest_taken(self, text: str) -> bool:
        with contextlib.suppress(UneditableFileError):
            return self._is_taken(self.put(self._read(text)))
        return False

    def _is_taken(self, begun: Document) -> bool:
        """Tell whether the rest has a name that is the user's."""
        try:
            self.put_too(begun)
        except UneditableFileError as error:
            return isinstance(error, TakenNameError)
        return False

    def _read(self, text: str) -> Document:
        return read_document(text, may_comment=self.may_comment)


@attrs.frozen(kw_only=True)
class WholeTarget:
    """
    A file that is all ours.

    Attributes:
        path: Where it is, absolute.
        root: The folder that it may not lead out of.
        text: What it holds.

    """

    path: str
    root: str
    text: str

    def snippet(self, text: str | None) -> str:  # noqa: ARG002  # whatever it says
        """Return nothing: it is all ours."""
        return ""

    def with_ours(self, text: str | None) -> str:
        """Return our text, unless there is another."""
        if text is not None:
            self.ensure_not_taken(text)
        return self.text

    def without_ours(self, text: str) -> str | None:
        """Return None for our text, and any other as it is."""
        return None if text == self.text else text

    def ensure_not_taken(self, text: str) -> None:
        """Raise where there is another text."""
        if text != self.text:
            raise TakenNameError("there is a file of your own by that name")

    def is_blank(self, text: str) -> bool:  # noqa: ARG002  # a text that is not ours stays, whatever it says
        """Tell that the file stays."""
        return False


def whole_files(root: str, texts: Mapping[str, str]) -> list[WholeTarget]:
    """Return files that are all ours below *root*, from texts by path."""
    return [WholeTarget(path=path, root=root, text=text) for path, text in texts.items()]


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
