"""The journal of a run of `hardwon forget`."""

import json
import os
from contextlib import suppress
from typing import Any

from hardwon.adapters.durable import written_file
from hardwon.adapters.folder import opened_store
from hardwon.adapters.sqlite.file_errors import translated
from hardwon.domain.model.erasure import Erasure
from hardwon.ports.erasure import BegunErasure, ErasureJournal
from hardwon.ports.override import override

FILE_NAME = "forget.json"


class FileErasureJournal(ErasureJournal):
    """The journal as JSON, mode 0600."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, FILE_NAME)

    @override
    def begin(self, run: BegunErasure) -> None:
        erasure = run.erasure
        given = {"texts": erasure.texts, "ids": sorted(erasure.ids), "any_case": erasure.any_case}
        document = {**given, **run._asdict()}
        del document["erasure"]
        with (
            translated(self._path),
            opened_store(os.path.dirname(self._path)) as store,
            written_file(os.path.join(store.path, FILE_NAME)) as file,
        ):
            file.write(json.dumps(document).encode())

    @override
    def unfinished(self) -> BegunErasure | None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            with open(self._path, "rb") as file:
                written = file.read()
            if written.strip(b"\0"):
                return _run(json.loads(written))
            self.end()  # overwritten when its run ended, and not removed yet
        return None

    @override
    def end(self) -> None:
        for path in (self._path, f"{self._path}.partial"):
            with translated(path), suppress(FileNotFoundError):
                with open(path, "r+b") as file:
                    file.write(bytes(os.fstat(file.fileno()).st_size))
                    file.flush()
                    os.fsync(file.fileno())
                os.unlink(path)


def _run(document: dict[str, Any]) -> BegunErasure:
    any_case = bool(document.get("any_case"))
    return BegunErasure(
        erasure=Erasure(tuple(document["texts"]), frozenset(document["ids"]), any_case=any_case),
        wanted=document["wanted"],
        words=tuple(document["words"]),
        files=tuple(document["files"]),
        keeps_banks=document["keeps_banks"],
        folders=tuple(document.get("folders", ())),
    )
