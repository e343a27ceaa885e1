"""Transcripts and the capture journal in memory."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from hardwon.domain.model.conversation.hook_event import HookEvent, NotedProject, WaitingEvents
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.ports.override import override
from hardwon.ports.transcripts import CaptureJournal, TranscribedExchange, Transcripts
from tests.strategies import NOW


class InMemoryTranscripts(Transcripts):
    """
    Transcripts that are given; an exchange begins at a thousand times its place.

    Attributes:
        session_id: The session of all of them.

    """

    def __init__(self, session_id: str = "") -> None:
        self.session_id = session_id
        self._exchanges: dict[str, Sequence[Exchange]] = {}

    def put(self, path: str, exchanges: Sequence[Exchange]) -> None:
        """Replace the transcript at *path*."""
        self._exchanges[path] = exchanges

    @override
    def read(self, path: str, position: int = 0) -> Iterator[TranscribedExchange]:
        if path not in self._exchanges:
            raise UnreadableFileError(f"{path!r}: it can't be read")
        exchanges = self._exchanges[path]
        beginning = position if position < 1_000 * len(exchanges) else 0
        for place, exchange in enumerate(exchanges):
            if place * 1_000 >= beginning:
                yield TranscribedExchange(
                    exchange, place * 1_000, place + 1 < len(exchanges), self.session_id
                )


class InMemoryCaptureJournal(CaptureJournal):
    def __init__(self, now: Callable[[], dt.datetime] = lambda: NOW) -> None:
        self._now = now
        self._kept_at: dict[str, dt.datetime] = {}
        self._events: list[HookEvent] = []
        self._buffers: dict[str, SessionBuffer] = {}
        self._readings: dict[str, int] = {}
        self._projects: dict[str, NotedProject] = {}
        self._number = 0

    @override
    def note(self, event: HookEvent, project: NotedProject | None = None) -> int:
        self._number += 1
        if project:
            self._projects[event.project_root] = project
        self._events.append(event._replace(number=self._number))
        return sum(event.kind == "reply" for event in self.events(event.session_id))

    @override
    def noted_project(self, folder: str) -> NotedProject | None:
        return self._projects.get(folder)

    @override
    def waiting(self) -> list[WaitingEvents]:
        return [
            _waiting(session_id, self.events(session_id))
            for session_id in dict.fromkeys(event.session_id for event in self._events)
        ]

    @override
    def events(self, session_id: str) -> list[HookEvent]:
        return [event for event in self._events if event.session_id == session_id]

    @override
    def buffer(self, session_id: str) -> SessionBuffer | None:
        return self._buffers.get(session_id)

    @override
    def reading(self, session_id: str) -> int:
        buffer = self.buffer(session_id)
        return buffer.reading if buffer else self._readings.get(session_id, 0)

    @override
    def buffers(self) -> Sequence[SessionBuffer]:
        return list(reversed(self._buffers.values()))

    @override
    def keep(self, buffer: SessionBuffer, *, handled: int = 0) -> None:
        self._buffers.pop(buffer.session_id, None)
        self._buffers[buffer.session_id] = buffer
        self._kept_at[buffer.session_id] = self._now()
        self._forget_events(buffer.session_id, handled)

    @override
    def keep_newest(self, most: int) -> Mapping[str, int]:
        lost = self._events[: max(0, len(self._events) - most)]
        self._events = self._events[len(lost) :]
        return Counter(event.session_id for event in lost)

    @override
    def forget_settled(self, since: dt.datetime) -> None:
        waiting = {event.session_id for event in self._events}
        for session_id, buffer in [*self._buffers.items()]:
            if (
                self._kept_at[session_id] < since
                and session_id not in waiting
                and buffer.is_settled
            ):
                self._readings[session_id] = buffer.reading
                del self._buffers[session_id]
        named = {event.project_root for event in self._events} | {
            b.project_root for b in self._buffers.values()
        }
        self._projects = {
            folder: project for folder, project in self._projects.items() if folder in named
        }

    def _forget_events(self, session_id: str, handled: int) -> None:
        self._events = [e for e in self._events if e.session_id != session_id or e.number > handled]


def _waiting(session_id: str, events: Sequence[HookEvent]) -> WaitingEvents:
    root = next((event.project_root for event in events if event.project_root), "")
    replies = sum(event.kind == "reply" for event in events)
    return WaitingEvents(session_id, root, len(events), replies, events[-1].number, events[-1].at)
