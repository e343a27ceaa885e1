from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.labelling import MAX_TOKENS, ask_for_labels
from hardwon.adapters.providers.ollama_server import ollama_http
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.label_prompt import label_prompt

if TYPE_CHECKING:
    import httpx  # loaded with the first request only


class OllamaLabeler:
    """
    Labels by a model that Ollama runs.

    The answer's form is asked for in words, not by Ollama's `format`, which
    gets an array at the top level wrong (ollama/ollama issue 8000). A model
    that thinks is told not to: it would not be done in five seconds.

    Args:
        host: Where Ollama listens, in any form of `OLLAMA_HOST`.
        model: As `ollama list` names it.
        transport: What to send through instead of the network.

    """

    def __init__(self, host: str, model: str, transport: "httpx.BaseTransport | None" = None) -> None:
        self._model = model
        self._http = ollama_http(host, model, transport)

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        """Return the labels the model proposes."""
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": label_prompt(entry)}],
            "stream": False,
            "think": False,
            "options": {"temperature": 0, "num_predict": MAX_TOKENS},
        }
        return ask_for_labels(self._http, "/api/chat", body, deadline, _text_of)


def _text_of(answer: Any) -> str:
    message = answer.get("message") if isinstance(answer, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""
