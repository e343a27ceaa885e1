"""All likelihoods have one form."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.likelihood import MODELS, MODELS_BY_NUMBER, logistic, model_of

values = st.floats(-50, 50)


@pytest.mark.parametrize("name", MODELS)
@given(data=st.data())
def test_terms_and_constant_give_the_probability(name: str, data: st.DataObject) -> None:
    model = MODELS[name]
    likely = model.of({feature: data.draw(values) for feature in model.weights})

    x = likely.constant + math.fsum(weight * value for _, weight, value in likely.terms)

    assert likely.probability == pytest.approx(logistic(x))
    assert 0 <= likely.probability <= 1
    assert likely.is_likely == (likely.probability >= model.threshold)


@pytest.mark.parametrize("name", MODELS)
def test_a_feature_with_a_positive_weight_makes_it_more_likely(name: str) -> None:
    model = MODELS[name]
    features = dict.fromkeys(model.weights, 0.1)

    for feature, weight in model.weights.items():
        more = model.of({**features, feature: 0.2}).probability - model.of(features).probability
        assert math.copysign(1, more) == math.copysign(1, weight)


@pytest.mark.parametrize("name", MODELS)
def test_the_printed_formula_gives_the_probability(name: str) -> None:
    model = MODELS[name]
    features = dict.fromkeys(model.weights, 0.3)
    names = {**features, "exp": math.exp}

    printed = eval(model.formula({}), {"__builtins__": {}}, names)  # noqa: S307  # a formula of ours

    assert printed == pytest.approx(model.of(features).probability)


def test_numbers_are_unique_and_each_fit_is_recorded() -> None:
    assert len(MODELS_BY_NUMBER) == len(MODELS)
    assert all(all(model.fit) for model in MODELS.values())


def test_a_model_for_keywords_alone_is_used_where_there_is_one() -> None:
    assert model_of("prompt", semantic=False) == MODELS["prompt by keywords"]
    assert model_of("failure", semantic=False) == MODELS["failure"]


def test_a_missing_feature_is_an_error_and_others_are_ignored() -> None:
    model = MODELS["answer by keywords"]

    assert model.of({"words": 1.0, "other": 2.0}) == model.of({"words": 1.0})
    with pytest.raises(KeyError):
        model.of({"other": 2.0})


@given(values)
def test_the_logistic_function_is_symmetric(log_odds: float) -> None:
    assert logistic(log_odds) + logistic(-log_odds) == pytest.approx(1)


@pytest.mark.parametrize(("name", "start"), [("prompt", "x = -2.83"), ("edit", "x = -3.41")])
def test_the_documented_formula_has_the_weights_of_the_model(name: str, start: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "measurements-of-quality.md").read_text(
        encoding="utf-8"
    )
    formula = page[page.index(start) :].split("\n\n")[0]
    model = MODELS[name]

    assert start == f"x = {model.constant}"
    for weight in model.weights.values():
        assert f"{'+' if weight > 0 else '-'} {abs(weight)} " in formula
