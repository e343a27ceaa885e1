from tests.campaigns.conftest import Figures, summary


def test_a_named_figure_is_printed_also_where_it_is_0() -> None:
    figures = Figures()
    figures.counts("kills", "lost")
    figures["kills"] += 2

    assert summary(("kills", name, count) for name, count in figures.items()) == [
        "kills: kills 2, lost 0"
    ]


def test_parts_of_a_campaign_are_summed_up() -> None:
    parts = [("kills", "kills", 2), ("fuzz", "inputs", 5), ("kills", "kills", 3)]

    assert summary(parts) == ["kills: kills 5", "fuzz: inputs 5"]


def test_a_figure_that_must_be_nothing_is_bad_when_it_is_not() -> None:
    assert Figures({"kills": 5, "lost": 0}).bad == {}
    assert Figures({"kills": 5, "lost": 1}).bad == {"lost": 1}
