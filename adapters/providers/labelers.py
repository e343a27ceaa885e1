"""What the labelers here share: one question over HTTP, an answer that must hold labels."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.errors import ProviderError
from hardwon.adapters.providers.http import Endpoint, JsonHttp
from hardwon.adapters.providers.label_prompt import label_prompt, parse_labels
from hardwon.adapters.providers.ollama import ollama_http
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import LabelerUnavailableError, UnusableLabelsError

if TYPE_CHECKING:
    import httpx

MAX_TOKENS = 300
"""Ten labels take about 60; a model that goes on and on is stopped."""


def ask_for_labels(
    http: JsonHttp, path: str, body: object, deadline: Deadline, text_of: Callable[[Any], str]
) -> list[str]:
    """
    Send *body* to *path* and return the labels in the answer.

    Args:
        http: Whom to ask.
        path: Begins with a slash.
        body: As the provider wants it.
        deadline: When the answer must be there.
        text_of: Returns the model's words in the provider's answer, nothing when that is
            not of the shape it should be; it never raises.

    Raises:
        LabelerUnavailableError: no answer.
        UnusableLabelsError: an answer without labels in it.

    """
    try:
        text = text_of(http.post(path, body, deadline))
    except ProviderError as error:
        raise LabelerUnavailableError(str(error)) from error
    try:
        return parse_labels(text)
    except UnusableLabelsError as error:
        # Said anew by the endpoint, which keeps the key out of it.
        raise UnusableLabelsError(http.endpoint.says("sent no list of labels", text)) from error


ANTHROPIC_URL = "https://api.anthropic.com"
ANTHROPIC_VERSION = "2023-06-01"
DEFAULT_MODEL = "claude-haiku-4-5"


class HaikuLabeler:
    """
    Labels by Claude Haiku, over Anthropic's Messages API.

    Neither a temperature nor the beginning of the answer is sent: Haiku 5.5
    refuses both.

    Args:
        api_key: As `ANTHROPIC_API_KEY` holds it; without one every call fails and nothing is sent.
        model: The name of a Claude model.
        base_url: Where the API is, up to its `/v1`.
        transport: What to send through instead of the network.

    """

    def __init__(
        self,
        api_key: str,
        model: str = DEFAULT_MODEL,
        base_url: str = ANTHROPIC_URL,
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        self._model = model
        endpoint = Endpoint(
            provider="Anthropic",
            base_url=base_url,
            key=api_key,
            key_name="ANTHROPIC_API_KEY",
            key_required=True,
            headers={"x-api-key": api_key.strip(), "anthropic-version": ANTHROPIC_VERSION},
        )
        self._http = JsonHttp(endpoint, transport)

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        """Return the labels Claude proposes."""
        body = {
            "model": self._model,
            "max_tokens": MAX_TOKENS,
            "messages": [{"role": "user", "content": label_prompt(entry)}],
        }
        return ask_for_labels(self._http, "/v1/messages", body, deadline, _text_of)


def _text_of(answer: Any) -> str:
    """Return the text blocks, by their type: other blocks may stand before them."""
    blocks = answer.get("content") if isinstance(answer, dict) else None
    texts = [
        block.get("text")
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    return "\n".join(text for text in texts if isinstance(text, str))


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
        return ask_for_labels(self._http, "/api/chat", body, deadline, _message_of)


def _message_of(answer: Any) -> str:
    message = answer.get("message") if isinstance(answer, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""
