from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.study.sampler.prefix_cache import RECENT, Prefixes


@given(st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=8))
def test_a_remembered_fold_answers_as_if_it_remembered_nothing(histories):
    fold = Prefixes(())
    for items in histories:
        assert fold.fold(items, items, lambda so_far, item: (*so_far, item)) == tuple(items)


def test_only_what_is_new_is_folded():
    steps = []
    fold = Prefixes(0)

    def step(so_far, item):
        steps.append(item)
        return so_far + item

    items = list(range(200))
    fold.fold(items[:150], items[:150], step)
    steps.clear()
    assert fold.fold(items, items, step) == sum(items)
    assert steps == items[150:]
    steps.clear()
    late = [*items[:190], 1000, *items[190:]]
    assert fold.fold(late, late, step) == sum(items) + 1000
    assert steps == late[190:]


def test_few_results_are_kept():
    fold = Prefixes(0)
    items = list(range(1000))
    fold.fold(items, items, lambda so_far, item: so_far + item)
    assert len(fold._results) <= RECENT + 1
    assert fold.fold([5], [5], lambda so_far, item: so_far + item) == 5
