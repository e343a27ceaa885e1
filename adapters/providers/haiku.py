from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.endpoint import Endpoint
from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.labelling import MAX_TOKENS, ask_for_labels
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.label_prompt import label_prompt

if TYPE_CHECKING:
    import httpx  # loaded with the first request only

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
