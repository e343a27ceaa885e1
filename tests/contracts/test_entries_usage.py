"""Counts from another program are added to the own counts."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import Usage, Validations
from tests.contracts.worlds import MakeWorld, on_every_implementation
from tests.strategies import few_examples, lesson, timestamps

pytestmark = on_every_implementation

usages = st.builds(
    Usage,
    st.integers(0, 3),
    st.none() | timestamps,
    st.integers(0, 3).flatmap(
        lambda total: st.builds(Validations, st.just(total), st.integers(0, total))
    ),
)


@given(counted=st.lists(usages, max_size=3), own=st.booleans(), at=timestamps)
@few_examples
def test_counts_add_up_and_the_last_access_counts(
    make: MakeWorld, counted: list[Usage], at: dt.datetime, *, own: bool
) -> None:
    with make() as world:
        [number] = world.add(lesson("One."))
        if own:
            world.usage.record_access([number], at)
        for usage in counted:
            world.usage.add(number, usage)
        entry = world.repository.with_number(number)

    accessed = [usage.last_accessed for usage in counted if usage.last_accessed] + (
        [at] if own else []
    )
    assert entry
    assert entry.usage == Usage(
        sum(usage.access_count for usage in counted) + own,
        max(accessed, default=None),
        Validations(
            sum(usage.validations.total for usage in counted),
            sum(usage.validations.useful for usage in counted),
        ),
    )


def test_of_an_unknown_number_nothing_is_counted(make: MakeWorld) -> None:
    with make() as world:
        world.usage.add(9, Usage(1))

        assert world.repository.with_number(9) is None
