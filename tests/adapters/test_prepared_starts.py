"""The file of prepared session starts."""

import datetime as dt
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.prepared_starts import KEPT, PreparedStarts
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.prepared_start import PreparedStart
from hardwon.domain.model.injection.receipt import UNSEEN, text_digest
from tests.strategies import few_examples, receipts, texts

PLACE, OTHER = "a" * 64, "b" * 64
starts = st.builds(
    lambda text, receipt, numbers: PreparedStart(
        stamp="stamp",
        text=text,
        numbers=tuple(numbers),
        receipt=receipt._replace(
            session_id="",
            event="start",
            digest=text_digest(text),
            at=receipt.at.astimezone(dt.UTC),
            delivery="printed",
            agent="",
            latest=None,
            signature="",
            outcome=UNSEEN,
            arm="",
            number=0,
        ),
    ),
    texts,
    receipts,
    st.lists(st.integers(0, 2**40), max_size=4),
)


@given(start=starts, other=starts)
@few_examples
def test_a_start_is_found_as_it_was_kept(start: PreparedStart, other: PreparedStart) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = PreparedStarts(folder)
        kept.keep(PLACE, other)
        kept.keep(OTHER, other)
        kept.keep(PLACE, start)

        assert PreparedStarts(folder).find(PLACE) == start
        assert PreparedStarts(folder).find(OTHER) == other
        assert PreparedStarts(folder).find("c" * 64) is None


@given(start=starts, data=st.data())
@few_examples
def test_a_line_that_was_cut_or_changed_is_none(start: PreparedStart, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = PreparedStarts(folder)
        kept.keep(PLACE, start)
        path = Path(kept.path)
        whole = path.read_bytes()
        end = data.draw(st.integers(0, len(whole) - 2))
        changed = data.draw(
            st.sampled_from([whole[:end], whole[:end] + b"x" + whole[end + 1 :], whole[end + 1 :]])
        )
        path.write_bytes(changed)

        assert kept.find(PLACE) in ((None,) if changed != whole else (start,))


@given(start=starts)
@few_examples
def test_only_the_newest_are_kept(start: PreparedStart) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = PreparedStarts(folder)
        for number in range(KEPT + 2):
            kept.keep(f"{number:064}", start)

        found = [number for number in range(KEPT + 2) if kept.find(f"{number:064}")]
        assert found == [*range(2, KEPT + 2)]


@given(start=starts)
@few_examples
def test_a_folder_in_its_place_has_no_start_and_cannot_be_written(start: PreparedStart) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = PreparedStarts(folder)
        Path(kept.path).mkdir()

        assert kept.find(PLACE) is None
        with pytest.raises(StorageError, match="prepared-starts"):
            kept.keep(PLACE, start)
