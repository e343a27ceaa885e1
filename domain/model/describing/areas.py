"""What is always recorded (requirement C-T8.8): which of it a conversation touches."""

import re
from collections.abc import Iterable

_AREAS = {
    "devops": r"""devops|deploy\w*|ci|ci/cd|cd pipeline|pipelines?|docker\w*|containers?|kubernetes|k8s|helm|rollbacks?
        |github actions|gitlab ci|jenkins|release process|blue-green|canary|monitoring|observability|alerting""",
    "infrastructure": r"""infrastructure|terraform|ansible|aws|gcp|azure|cloud|vms?|vpc|dns|load balancers?|clusters?
        |nginx|s3|ec2|cdn|servers?(?! components?| actions?| side)|autoscaling|kubernetes|provision\w*|subnets?|secrets manager|key vault|eventbridge
        |lambdas?(?! (?:expressions?|calculus|syntax|\w+(?:, ?\w+)*:))|cloudwatch|cloudfront|iam|rds|sqs|sns|ecs|eks|fargate
        |[\w-]{1,60}\.tf|infra
        |(?:keys?|secrets?|certificates?|certs?|credentials?|passwords?|tokens?|logs?) rotation
        |rotat(?:e|es|ed|ing) (?:\w+ ){0,4}(?:keys?|secrets?|certificates?|certs?|credentials?|passwords?|tokens?|logs?)""",
    "security": r"""security|secure|auth|authentication|authorization|oauth2?|jwts?|passwords?|secrets?|credentials?
        |encrypt\w*|tls|ssl|vulnerab\w*|xss|csrf|sql injection|cves?|api keys?|access tokens?|permissions?|2fa|mfa
        |sandbox\w*|firewalls?|least privilege|sanitiz\w*""",
    "code-quality": r"""code quality|lint\w*|ruff|eslint|mypy|pyright|prettier|refactor\w*|code reviews?|coverage
        |technical debt|tech debt|static analysis|type check\w*|unit tests?|code smells?|clean code|test suite""",
}


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{' '.join(words.split()).replace(' |', '|')})(?![\w-])")


_PATTERNS = {area: _any_of(words) for area, words in _AREAS.items()}

ENOUGH_IN_REPLIES = 2
"""Mentions; replies name much in passing."""


def areas_of(prompts: Iterable[str], replies: Iterable[str]) -> tuple[str, ...]:
    """
    Return the areas that are spoken of: once by the user or in a decision, or twice in replies.

    Args:
        prompts: What the user said and what was decided.
        replies: What the agent said.

    """
    said, answered = "\n".join(prompts).lower(), "\n".join(replies).lower()
    return tuple(area for area, words in _PATTERNS.items() if words.search(said) or _often(words, answered))


def _often(words: re.Pattern[str], text: str) -> bool:
    found = words.finditer(text)
    return sum(1 for _ in zip(found, range(ENOUGH_IN_REPLIES), strict=False)) == ENOUGH_IN_REPLIES
