"""All rules by which secrets are found."""

from hardwon.domain.model.secrets import (
    commands,
    keys,
    named_tokens,
    places,
    requests,
    tokens_cloud,
    tokens_code,
    tokens_services,
    values,
)

RULES = (
    *tokens_code.RULES,
    *tokens_cloud.RULES,
    *tokens_services.RULES,
    *named_tokens.RULES,
    *keys.RULES,
    *requests.RULES,
    *commands.RULES,
    *values.RULES,
    *places.RULES,
)
