"""The retro-facilitator's answer, read from what the agent printed."""

import json

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.formats.json_shapes import RepeatedNameError, beginning, distinct_members
from hardwon.domain.model.retro.answer import Answer, Decoded, find_answer, read_answer


def answer_from_text(text: str) -> Answer:
    """
    Return what the one answer in *text* says: JSON alone, in a markdown fence, or with prose around it.

    Raises:
        InvalidEntryError: there is none, more than one, or it is not JSON of an answer.

    """
    return read_answer(find_answer(text, _decoded))


def _decoded(text: str, start: int) -> Decoded:
    if not text:
        raise InvalidEntryError("the answer is empty: it must be a JSON object")
    begun = f"the answer {beginning(text[start:])}"
    try:
        return Decoded(*json.JSONDecoder(object_pairs_hook=distinct_members).raw_decode(text, start))
    except RecursionError as error:
        raise InvalidEntryError(f"{begun} is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise InvalidEntryError(f"{begun} is not JSON: {error}") from error
    except RepeatedNameError as error:
        raise InvalidEntryError(str(error)) from error
    except ValueError as error:
        raise InvalidEntryError(f"{begun} holds a number that is too long") from error
