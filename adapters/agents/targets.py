"""Files of agents, by how what is ours stands in them."""

import contextlib
import json
from collections.abc import Callable, Mapping

import attrs

from hardwon.adapters.agents.json_text import edited, read_document
from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.hook_groups import Document

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
