"""Questions that the agent asks by a tool, and what the user answers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hardwon.adapters.transcripts.json_values import objects_in, text_or
from hardwon.adapters.transcripts.said import Question, Result
from hardwon.domain.model.conversation.exchange import Answered

ASKING_TOOL = "AskUserQuestion"
LONGEST_RESULT = 100_000
"""In characters: more is not looked through for an answer."""


def questions_of(given: Any) -> tuple[Question, ...]:
    """Return what the tool was called with to ask."""
    asked = objects_in(given.get("questions")) if isinstance(given, dict) else []
    return tuple(
        Question(
            each["question"], tuple(filter(None, (text_or(o.get("label")) for o in objects_in(each.get("options")))))
        )
        for each in asked
        if text_or(each.get("question")).strip()
    )


def answers_to(questions: tuple[Question, ...], result: Result) -> Iterator[Answered]:
    """Yield those of *questions* that the user answered: what nobody answers decides nothing."""
    answers = result.details.get("answers") if isinstance(result.details, dict) else None
    told = _told(result.content)
    for question in questions:
        answer = _chosen(answers, question.text) or _quoted(told, question.text)
        if answer.strip():
            yield Answered(question.text, answer, question.options)


def _chosen(answers: Any, question: str) -> str:
    answer = answers.get(question) if isinstance(answers, Mapping) else None
    return ", ".join(map(text_or, answer)) if isinstance(answer, list) else text_or(answer)


def _told(content: Any) -> str:
    texts = [content] if isinstance(content, str) else [text_or(each.get("text")) for each in objects_in(content)]
    return "\n".join(texts)[:LONGEST_RESULT]


def _quoted(told: str, question: str) -> str:
    """Return the answer where the agent was told `"question"="answer"`."""
    _, found, rest = told.partition(f'"{question}"="')
    answer = re.search(r'(.*?)"(?=, "|[.\s]|\Z)', rest, re.DOTALL) if found else None
    return answer[1] if answer else ""
