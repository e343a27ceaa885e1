"""
Events of a session that a host reports to the running server.

No process of the hook is started. The host calls an unlisted tool with the fields of an event, and reads its text as a hook's answer.
"""

import asyncio
import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import anyio

from hardwon.domain.model.settings import Settings
from hardwon.domain.model.text import one_line
from hardwon.domain.use_cases.recall import Recall
from hardwon.entrypoints.bootstrap_capture import open_recent_actions
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_recall
from hardwon.entrypoints.hook.event import PROMPT_SECONDS, Arrival, Event, pauses_of
from hardwon.entrypoints.hook.process import Output
from hardwon.entrypoints.hook.prompt import open_quickly
from hardwon.entrypoints.hook.request import (
    CODEX_TRANSCRIPT,
    LARGEST_PAYLOAD,
    MOMENTS,
    HookRequest,
    answer_to,
    from_document,
)
from hardwon.ports.store import Warn

NOTHING_TO_SAY = "{}"
PROMPT = "UserPromptSubmit"
FILLED_IN_AS_TEXT = ("tool_input", "is_interrupt", "interrupted")
"""Fields of other types, which Claude Code fills in as JSON text."""

UUID_LENGTH = 36


class HookEvents:
    """
    Answers events as the hook's process does, one after the other in a thread.

    The thread has its own connection, so that no event waits for a tool.

    Args:
        store: The folder of the server's store. Other settings are those of the event's project.
        warn: Gets one line per problem.
    """

    def __init__(self, store: str, warn: Warn) -> None:
        self._flags = {"--global-store": store}
        self._warn = warn
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="events")
        self._memory: Memory | None = None
        self._recall: Recall | None = None
        self._recent = open_recent_actions()

    async def answer(self, fields: Mapping[str, object]) -> str:
        """Return the answer as a hook's JSON, within a second and never an error."""
        arrival = Arrival(
            time.monotonic(),
            leave_by=lambda _: None,
            open_store=self._opened,
            recall=self._kept_recall,
            recent=self._recent,
        )  # the wait below ends in time
        request = request_of(fields)
        if request is None:
            return NOTHING_TO_SAY
        texts = list[str]()

        def keep(text: str) -> bool:
            texts.append(text)
            return True

        output = Output(keep)
        output.answer = answer_to(request.host_event)
        taking = self._thread.submit(
            self._take, request._replace(flags=self._flags), output, arrival=arrival
        )
        try:
            with anyio.move_on_after(PROMPT_SECONDS):
                await asyncio.wrap_future(taking)
        finally:  # also if the host no longer waits
            output.close()  # a later text would be recorded as given
        return "".join(texts) or NOTHING_TO_SAY

    async def close(self) -> None:
        """Close the connection and end the thread."""
        await asyncio.wrap_future(self._thread.submit(self._close))
        self._thread.shutdown(wait=False)

    def _take(self, request: HookRequest, output: Output, arrival: Arrival) -> None:
        try:
            pauses = pauses_of(request)
            if not pauses.present:
                Event(request, output, arrival=arrival, pauses=pauses).take()
        except Exception as error:  # noqa: BLE001  # the tool's result stands, whatever is broken here
            self._warn(one_line(f"{request.event}: {type(error).__name__}: {error}"))

    def _opened(self, settings: Settings, warn: Warn) -> Memory:
        memory = self._memory
        if memory is None or memory.settings != settings or not memory.store.is_current():
            self._close()
            memory = self._memory = open_quickly(settings, warn)
        return memory

    def _kept_recall(self) -> Recall | None:
        if self._memory and not self._recall:
            self._recall = build_recall(self._memory)  # it keeps vectors in memory
        return self._recall

    def _close(self) -> None:
        if self._memory:
            self._memory.close()
        self._memory = self._recall = None


def request_of(fields: Mapping[str, object]) -> HookRequest | None:
    """
    Return the prompt or moment of a session in *fields*, None for other events.

    Claude Code fills in an empty text for a missing field.
    """
    folder = fields.get("cwd")
    is_too_long = (
        sum(len(value) for value in fields.values() if isinstance(value, str)) > LARGEST_PAYLOAD
    )
    if is_too_long or not (isinstance(folder, str) and os.path.isdir(folder)):
        return None
    given = {name: _value(name, fields[name]) for name in fields}
    request = from_document({"agent_id": _codex_subagent(given), **given})
    return request if request.event in (*MOMENTS, PROMPT) else None


def _codex_subagent(fields: Mapping[str, object]) -> str:
    """Return the id of Codex's subagent, which only its transcript's name tells."""
    path, session_id = fields.get("transcript_path"), fields.get("session_id")
    name = os.path.basename(path) if isinstance(path, str) else ""
    is_of_subagent = name.startswith(CODEX_TRANSCRIPT) and str(session_id) not in name
    return name.removesuffix(".jsonl")[-UUID_LENGTH:] if is_of_subagent else ""


def _value(name: str, value: object) -> object:
    if isinstance(value, Mapping):
        return {inner: _value(inner, value[inner]) for inner in value}
    if name not in FILLED_IN_AS_TEXT or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
