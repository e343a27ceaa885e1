"""A chunk of a conversation as a document for scripts."""

from typing import Any

import attrs

from hardwon.domain.model.conversation.session import Chunk, Exchange, timestamp


def chunk_document(chunk: Chunk) -> dict[str, Any]:
    """Return *chunk* as JSON has it."""
    return {
        "id": chunk.chunk_id,
        "title": chunk.title,
        "summary": chunk.summary,
        "topic": chunk.topic,
        "startTime": timestamp(chunk.starts_at),
        "endTime": timestamp(chunk.ends_at),
        "exchanges": [_exchange_document(exchange) for exchange in chunk.exchanges],
        "metadata": {name: list(values) for name, values in attrs.asdict(chunk.metadata).items()},
    }


def _exchange_document(exchange: Exchange) -> dict[str, Any]:
    document = {"user": exchange.user, "assistant": exchange.assistant, "timestamp": timestamp(exchange.at)}
    if not exchange.answers:
        return document
    return {**document, "answers": [{**each._asdict(), "options": list(each.options)} for each in exchange.answers]}
