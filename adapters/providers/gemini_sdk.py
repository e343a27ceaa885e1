"""Embed documents with google-genai, whose import takes about a second."""

import inspect
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hardwon.adapters.providers.endpoint import (
    ProviderAnswerUnusableError,
    ProviderUnavailableError,
)
from hardwon.adapters.providers.http import JsonHttp
from hardwon.domain.model.deadline import Deadline

if TYPE_CHECKING:
    from google import genai
    from google.genai import types

NEEDED_FIELDS = ("task_type", "output_dimensionality")
REINSTALL = "run `uv tool upgrade --reinstall hardwon`"

# The errors of the SDK over an answer that is not as documented; pydantic's errors are ValueErrors.
ANSWER_ERRORS = (ValueError, TypeError, AttributeError, LookupError, RuntimeError)


class GeminiSdk:
    """
    Embedding with google-genai through the client of *http*.

    So deadline, redirects, certificates and errors are the same as without it. No retries: the
    caller decides.
    """

    def __init__(self, http: JsonHttp, api_version: str) -> None:
        self._http = http
        self._api_version = api_version
        self._client: genai.Client | None = None

    def embed(
        self,
        texts: Sequence[str],
        model: str,
        task_type: str | None,
        dimensions: int,
        deadline: Deadline,
    ) -> list[list[float] | None]:
        """Return the vectors of *texts*, in order."""
        self._http.endpoint.require_key()
        client = self._client = self._client or self._connected()
        config = self._config(task_type, dimensions, self._http.seconds_until(deadline))
        from google.genai import types  # noqa: PLC0415  # over a second to import

        # Later models return a single vector for a list of bare strings.
        contents = [types.Content(parts=[types.Part(text=text)]) for text in texts]
        with self._answer_errors():
            answer = client.models.embed_content(
                model=model, contents=list(contents), config=config
            )
            return [embedding.values for embedding in answer.embeddings or []]

    def _connected(self) -> "genai.Client":
        try:
            from google import genai  # noqa: PLC0415  # over a second to import
            from google.genai import types  # noqa: PLC0415
        except ImportError as error:
            raise ProviderUnavailableError(
                f"google-genai is not installed ({error}); {REINSTALL}"
            ) from error
        _require_fields(types.EmbedContentConfig)
        # It warns wrongly that it prefers GOOGLE_API_KEY to GEMINI_API_KEY: the key is passed.
        logging.getLogger("google_genai").setLevel(logging.ERROR)
        with _setup_errors():
            # Explicit, as GOOGLE_GENAI_USE_VERTEXAI would send the texts elsewhere.
            return genai.Client(
                api_key=self._http.endpoint.key, vertexai=False, http_options=self._options()
            )

    def _options(self) -> "types.HttpOptions":
        import ssl  # noqa: PLC0415  # a hook without a provider never needs it

        from google.genai import types  # noqa: PLC0415  # over a second to import

        # For its unused asynchronous client, which would read the certificates again, in 40 ms.
        no_certificates = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return types.HttpOptions(
            base_url=self._http.endpoint.base_url,
            api_version=self._api_version,
            httpx_client=self._http.client(),
            async_client_args={"verify": no_certificates, "ssl": no_certificates},
            retry_options=types.HttpRetryOptions(attempts=1),
        )

    def _config(
        self, task_type: str | None, dimensions: int, seconds: float
    ) -> "types.EmbedContentConfig":
        from google.genai import types  # noqa: PLC0415  # over a second to import

        with _setup_errors():
            options = types.HttpOptions(timeout=max(1, int(seconds * 1000)))
            return types.EmbedContentConfig(
                task_type=task_type, output_dimensionality=dimensions, http_options=options
            )

    @contextmanager
    def _answer_errors(self) -> Iterator[None]:
        from google.genai import errors  # noqa: PLC0415  # over a second to import

        own = tuple(
            kind
            for kind in vars(errors).values()
            if inspect.isclass(kind) and issubclass(kind, Exception)
        )
        try:
            yield
        except ANSWER_ERRORS as error:
            words = "sent an answer that google-genai can't read"
            raise ProviderAnswerUnusableError(
                self._http.endpoint.says(words, str(error))
            ) from error
        except own as error:
            raise ProviderUnavailableError(
                self._http.endpoint.says("failed in google-genai", str(error))
            ) from error


def _require_fields(config: type) -> None:
    missing = [name for name in NEEDED_FIELDS if name not in getattr(config, "model_fields", {})]
    if missing:
        raise ProviderUnavailableError(
            f"google-genai is too old, it knows no {missing[0]}; {REINSTALL}"
        )


@contextmanager
def _setup_errors() -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, ImportError, OSError) as error:
        why = str(error).partition("\n")[0]
        raise ProviderUnavailableError(
            f"google-genai can't be used ({why}); {REINSTALL}"
        ) from error
