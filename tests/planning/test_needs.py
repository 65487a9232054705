"""What needs take: at the total that is said, and at no less, they are met."""

import math
from dataclasses import replace

import pytest

from dpcore.planning.aims import PART, assumed_aim
from dpcore.planning.basket import Basket, Split
from dpcore.planning.needs import all_needs, needs
from dpcore.planning.splits import scaled
from dpcore.relations import TableSize
from tests.planning.planned import ALL, PEOPLE, QUICK, item

SIZE = TableSize(people=PEOPLE, public=True)
ITEMS = (
    item("mean", wanted=0.5, weight=2.0),
    item("sum", wanted=100.0, epsilon=0.4),
    item("group", wanted=3.0),
)


@pytest.mark.parametrize("split", Split)
def test_a_need_is_met_at_its_total_and_not_below(split):
    basket = Basket(items=ITEMS, total=1.0, split=split)
    for place, need in enumerate(needs(basket, SIZE)):
        for factor, met in ((1.001, True), (0.98, False)):
            epsilon = scaled(ITEMS, need.total * factor, split)[place]
            assert (need.item.half_at(epsilon) <= need.item.wanted) is met
        assert need.item.half_at(need.epsilon) == pytest.approx(need.item.wanted)


def test_all_needs_together_take_what_each_takes():
    found = needs(Basket(items=ITEMS, split=Split.BEST), SIZE)
    assert {round(need.total, 9) for need in found} == {round(all_needs(found), 9)}


def test_what_is_said_to_do_does():
    short = item("group", epsilon=1.0, wanted=5.0)
    (need,) = needs(Basket(items=(short,)), TableSize(people=10_000, public=True))
    assert not need.item.seen
    joined, everybody = need.cheaper[0], need.cheaper[-1]
    fewest = int("".join(filter(str.isdigit, joined)))
    assert replace(need.item, group=fewest).seen
    assert "all people together" in everybody
    (few,) = needs(Basket(items=(short,)), TableSize(people=50, public=True))
    assert not any("joined" in told for told in few.cheaper)
    (mean,) = needs(Basket(items=(item("mean", wanted=0.1),)), SIZE)
    (narrow,) = mean.cheaper
    assert "bounds no wider than" in narrow
    (met,) = needs(Basket(items=(item("mean", wanted=10.0),)), SIZE)
    assert met.cheaper == ()


def test_a_locked_question_has_no_total_that_helps():
    locked = replace(item("mean", wanted=0.1), locked=True)
    (need,) = needs(Basket(items=(locked, item("sum"))), SIZE)
    assert math.isnan(need.total)
    assert math.isfinite(need.epsilon)


@pytest.mark.parametrize("name", ALL)
def test_what_is_assumed_is_a_part_of_what_the_answer_can_be(name):
    found = assumed_aim(item(name))
    if name == "model":
        assert found is None
        return
    assert found is not None
    assert 0 < found < math.inf
    if name == "mean":
        assert found == PART * QUICK["mean"].query.column.bounds.width
