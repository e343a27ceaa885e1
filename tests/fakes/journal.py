import datetime as dt
from collections.abc import Callable, Sequence

from hardwon.domain.model.conversation.hook_event import HookEvent, Waiting
from hardwon.domain.model.conversation.session import SessionBuffer
from hardwon.ports.override import override
from hardwon.ports.transcripts import CaptureJournal
from tests.strategies import NOW


class InMemoryCaptureJournal(CaptureJournal):
    def __init__(self, now: Callable[[], dt.datetime] = lambda: NOW) -> None:
        self._now = now
        self._kept_at: dict[str, dt.datetime] = {}
        self._events: list[HookEvent] = []
        self._buffers: dict[str, SessionBuffer] = {}
        self._number = 0

    @override
    def note(self, event: HookEvent) -> int:
        self._number += 1
        self._events.append(event._replace(number=self._number))
        return sum(event.kind == "reply" for event in self.events(event.session_id))

    @override
    def waiting(self) -> list[Waiting]:
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
    def buffers(self) -> Sequence[SessionBuffer]:
        return list(reversed(self._buffers.values()))

    @override
    def keep(self, buffer: SessionBuffer, *, handled: int = 0) -> None:
        self._buffers.pop(buffer.session_id, None)
        self._buffers[buffer.session_id] = buffer
        self._kept_at[buffer.session_id] = self._now()
        self._forget_events(buffer.session_id, handled)

    @override
    def forget_untouched(self, since: dt.datetime) -> list[Waiting]:
        noted = {event.session_id: dt.datetime.fromisoformat(event.at) for event in self._events}
        touched = {
            session_id: max(timestamps)
            for session_id in {*noted, *self._kept_at}
            if (timestamps := [times[session_id] for times in (noted, self._kept_at) if session_id in times])
        }
        forgotten = {session_id for session_id, at in touched.items() if at < since}
        lost = [waiting for waiting in self.waiting() if waiting.session_id in forgotten]
        for session_id in forgotten:
            self._buffers.pop(session_id, None)
            self._kept_at.pop(session_id, None)
            self._forget_events(session_id, self._number)
        return lost

    def _forget_events(self, session_id: str, handled: int) -> None:
        self._events = [e for e in self._events if e.session_id != session_id or e.number > handled]


def _waiting(session_id: str, events: Sequence[HookEvent]) -> Waiting:
    root = next((event.project_root for event in events if event.project_root), "")
    replies = sum(event.kind == "reply" for event in events)
    return Waiting(session_id, root, len(events), replies, events[-1].number, events[-1].at)
