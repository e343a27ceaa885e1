"""The page on configuration names every setting, as the table of settings has it."""

from hardwon.adapters.config.table import TABLE
from tools import configuration


def test_the_page_has_the_table_of_settings() -> None:
    assert set(configuration.MEANINGS) == set(TABLE)
    assert configuration.page() == configuration.PAGE.read_text(encoding="utf-8"), (
        "run: make generated"
    )
