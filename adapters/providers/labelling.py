"""What the labelers here share: one question over HTTP, an answer that must hold labels."""

from collections.abc import Callable
from typing import Any

from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.provider_errors import ProviderError
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import LabelerUnavailableError, UnusableLabelsError
from hardwon.domain.model.label_prompt import parse_labels

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
