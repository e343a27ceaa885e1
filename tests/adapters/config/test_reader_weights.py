import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.config.table import key
from tests.adapters.config.project import resolve, write


@pytest.mark.parametrize(
    ("texts", "weights", "warned"),
    [
        (("0.5", "0.2", "0.3"), (0.5, 0.2, 0.3), False),
        (("1", "0", "0"), (1.0, 0.0, 0.0), False),
        ((".25", ".25", ".5"), (0.25, 0.25, 0.5), False),
        (("1", "1", "2"), (0.25, 0.25, 0.5), True),
        (("0.1", "0.2", "0.1"), (0.25, 0.5, 0.25), True),
        (("0", "0", "0"), (0.5, 0.2, 0.3), True),
        (("-1", "1", "1"), (0.5, 0.2, 0.3), True),
        (("x", "0.2", "0.3"), (0.5, 0.2, 0.3), True),
        (("1.", "0.2", "0.3"), (0.5, 0.2, 0.3), True),
        (("1e3", "0.2", "0.3"), (0.5, 0.2, 0.3), True),
        (("nan", "0.2", "0.3"), (0.5, 0.2, 0.3), True),
        (("9" * 400, "0.2", "0.3"), (0.5, 0.2, 0.3), True),
        (("9" * 308, "9" * 308, "9" * 308), (0.5, 0.2, 0.3), True),
    ],
)
def test_they_sum_to_one(
    tmp_path: Path, texts: tuple[str, str, str], weights: tuple[float, ...], *, warned: bool
) -> None:
    fields = ("vector_weight", "keyword_weight", "prominence_weight")
    write(
        tmp_path,
        local_md="".join(
            f"{key(field)}: {text}\n" for field, text in zip(fields, texts, strict=True)
        ),
    )
    found = resolve(tmp_path)

    assert found.settings[4:7] == pytest.approx(weights)
    assert len(found.warnings) == warned


def test_those_not_set_count_with_their_defaults(tmp_path: Path) -> None:
    found = resolve(tmp_path, {"HARDWON_VECTOR_WEIGHT": "1.5"})

    assert found.settings[4:7] == pytest.approx((0.75, 0.1, 0.15))
    assert found.origins["vector_weight"] == "environment HARDWON_VECTOR_WEIGHT"
    assert found.origins["keyword_weight"] == "default"


def test_a_refused_set_comes_from_the_defaults(tmp_path: Path) -> None:
    found = resolve(tmp_path, {"HARDWON_VECTOR_WEIGHT": "-1"})

    assert found.origins["vector_weight"] == "default"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.text() | st.floats().map(repr) | st.integers().map(str), min_size=3, max_size=3
    )
)
@example(["0." + "0" * 323 + "5"] * 3)
@example(["9" * 308, "1", "0"])
def test_whatever_is_set_they_sum_to_one(tmp_path: Path, texts: list[str]) -> None:
    names = ("HARDWON_VECTOR_WEIGHT", "HARDWON_KEYWORD_WEIGHT", "HARDWON_PROMINENCE_WEIGHT")
    weights = resolve(tmp_path, dict(zip(names, texts, strict=True))).settings[4:7]

    assert math.fsum(weights) == pytest.approx(1, abs=1e-9)
    assert min(weights) >= 0
