"""The table of providers and the names in the settings say the same."""

import re
from pathlib import Path

from hardwon.adapters.providers.embedders import EMBEDDERS
from hardwon.adapters.providers.labelers import LABELERS
from hardwon.adapters.providers.table import PROVIDERS
from hardwon.domain.model import settings
from hardwon.domain.model.vocabulary import KINDS
from hardwon.domain.use_cases.label import label_tiers
from hardwon.entrypoints.bootstrap_retrieval import AUTO, EMBEDDER_NAMES, LOCAL, OFF

DOCUMENT = Path(__file__).parents[3] / "docs" / "providers.md"


def test_every_provider_of_vectors_can_be_named_in_the_settings() -> None:
    assert (AUTO, *EMBEDDER_NAMES, OFF) == settings.EMBEDDING_PROVIDERS
    assert (LOCAL, *EMBEDDERS) == EMBEDDER_NAMES


def test_the_document_has_a_row_for_every_provider_that_can_be_named() -> None:
    rows = re.findall(r"^\| `(\w+)`", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)

    assert rows == ["memory_embedding_provider", *settings.EMBEDDING_PROVIDERS]


def test_every_labeler_that_the_settings_name_is_there() -> None:
    assert {
        tier for name in settings.KEYWORD_PROVIDERS for tier in label_tiers(name)
    } == LABELERS.keys()
    assert all(labeler.provider.label_model for labeler in LABELERS.values())


def test_models_of_kinds_are_known_and_every_kind_has_one() -> None:
    for provider in PROVIDERS:
        kinds = [kind for of_model in provider.models_of_kinds.values() for kind in of_model]
        assert sorted(kinds) in ([], sorted(KINDS))
        assert provider.models_of_kinds.keys() <= provider.models.keys()
