"""What needs take: at the total that is said, and at no less, they are met."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpcore.formatting import epsilon_text
from dpcore.planning.analysis_plan import AnalysisPlan, Split
from dpcore.planning.needs import needs, smallest_text, smallest_total
from dpcore.planning.splits import scaled, settled
from dpcore.relations import TableSize
from tests.conftest import few
from tests.planning.planned import PEOPLE, item

SIZE = TableSize(people=PEOPLE, public=True)
ITEMS = (
    item("mean", wanted=0.5, weight=2.0),
    item("sum", wanted=100.0, epsilon=0.4),
    item("group", wanted=3.0),
)


@pytest.mark.parametrize("split", few(2, *Split))
def test_a_need_is_met_at_its_total_and_not_below(split):
    basket = AnalysisPlan(items=ITEMS, total=1.0, split=split)
    for place, need in enumerate(needs(basket, SIZE)):
        for factor, met in ((1.001, True), (0.98, False)):
            epsilon = scaled(ITEMS, need.total * factor, split)[place]
            assert (need.item.half_at(epsilon) <= need.item.wanted) is met
        assert need.item.half_at(need.epsilon) == pytest.approx(need.item.wanted)


def test_the_smallest_total_is_what_the_best_split_needs():
    found = needs(AnalysisPlan(items=ITEMS, split=Split.BEST), SIZE)
    smallest = smallest_total(ITEMS)
    assert {round(need.total, 9) for need in found} == {round(smallest, 9)}
    assert smallest == pytest.approx(math.fsum(need.epsilon for need in found))


TARGETS = st.floats(0.3, 30.0)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(TARGETS, min_size=2, max_size=4), st.none() | st.integers(0, 1))
def test_the_total_that_is_said_meets_every_target_and_a_smaller_one_does_not(targets, locked):
    names = ("mean", "sum", "group", "gaussian")
    scale = {"sum": PEOPLE}
    items = tuple(
        item(name, wanted=target * scale.get(name, 1))
        for name, target in zip(names, targets, strict=False)
    )
    if locked is not None:
        kept = replace(items[locked].at(30.0), locked=True)
        items = (*items[:locked], kept, *items[locked + 1 :])
    said = smallest_text(items)
    every = "both targets" if len(items) == 2 else f"all {len(items)} targets"
    total = float(said.removeprefix("ε = ").split()[0].replace(",", ""))
    assert said == f"ε = {epsilon_text(total)} meets {every} (optimal allocation)"
    assume(total < 600)

    def met(total):
        dealt = settled(AnalysisPlan(items=items, total=total, split=Split.BEST))
        return all(one.seen for one in dealt.items)

    assert met(total)
    smallest = smallest_total(items)
    assert smallest <= total
    free = math.fsum(one.epsilon for one in items if one.fixed)
    assert not met(free + 0.97 * (smallest - free))


def test_what_is_said_to_do_does():
    short = item("group", epsilon=1.0, wanted=5.0)
    (need,) = needs(AnalysisPlan(items=(short,)), TableSize(people=10_000, public=True))
    assert not need.item.seen
    joined, everybody = need.cheaper[0], need.cheaper[-1]
    fewest = int("".join(filter(str.isdigit, joined)))
    assert replace(need.item, group=fewest).seen
    assert "all people together" in everybody
    (few,) = needs(AnalysisPlan(items=(short,)), TableSize(people=50, public=True))
    assert not any("joined" in told for told in few.cheaper)
    (mean,) = needs(AnalysisPlan(items=(item("mean", wanted=0.1),)), SIZE)
    (narrow,) = mean.cheaper
    assert "bounds no wider than" in narrow
    (met,) = needs(AnalysisPlan(items=(item("mean", wanted=10.0),)), SIZE)
    assert met.cheaper == ()
