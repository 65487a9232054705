"""What the label and the odds say follows from the account, and judges nobody."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.figures.attackers import (
    AttackerView,
    Sides,
    belief_picture,
    counted,
    readings_text,
    surest,
    worlds_picture,
    worlds_text,
)
from dpcore.figures.privacy_label import LabelFacts, text_of
from dpcore.figures.risks import tradeoff_picture
from dpcore.formatting import at_most
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy.interpretation import posterior
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.studies.meaning.attacker import of_mechanism

RELATIONS = list(NeighboringRelation)


def facts(relation=RELATIONS[0], rows=1, **more):
    known = {
        "budget": PrivacyBudget.of(epsilon=3.0, delta=1e-5),
        "spent": PrivacyCost.of(epsilon=1.0),
        "releases": 2,
    }
    return LabelFacts(relation=relation, unit=PrivacyUnit(rows=rows), **(known | more))


def told_of(key, epsilon=1.0, relation=RELATIONS[0]):
    found = of_mechanism(
        CATALOG[key],
        sensitivity=Sensitivity.scalar(0.1),
        epsilon=epsilon,
        delta=1e-5,
        bounds=Interval(lower=0.0, upper=1.0),
    )
    sides = Sides.of(relation)
    label = CATALOG[key].label
    told = AttackerView(
        guarantee=found.guarantee, sides=sides, attack=found.attack, label=label, key=key
    )
    return told, found


def test_a_number_of_people_is_told_only_where_it_is_public():
    assert "number of people (812)" in text_of(facts(number=812))
    assert "a public minimum in place of" in text_of(facts(NeighboringRelation.ADD_REMOVE))


def test_what_the_releases_so_far_reveal_is_told_apart_from_the_whole_budget():
    so_far, allowed = "from the releases so far", "from all releases that the budget allows"
    text = text_of(facts())
    assert surest(1.0) in text.partition(so_far)[2].partition(allowed)[0]
    assert surest(3.0, delta=1e-5) in text.partition(allowed)[2]
    for spent in (PrivacyCost.of(), PrivacyCost.of(epsilon=3.0, delta=1e-5)):
        assert so_far not in text_of(facts(spent=spent))


def test_a_budget_in_rho_is_told_at_a_delta_that_is_said():
    text = text_of(facts(budget=PrivacyBudget.of(rho=0.1), spent=PrivacyCost.of()))
    assert "ρ = 0.1 in total" in text
    assert "at δ = 10⁻⁶" in text


@given(st.floats(0.5, 1))
def test_counts_of_worlds_are_rounded_up(share):
    count, total = counted(share)
    assert count >= total * share - 1e-8
    assert count - total * share <= 1
    if share < 1 - 1e-6:
        assert count < total


@pytest.mark.parametrize("key", CATALOG)
@pytest.mark.parametrize("relation", RELATIONS)
def test_pictures_and_words_have_one_number(key, relation):
    told, found = told_of(key, relation=relation)
    number = surest(told.guarantee.epsilon, delta=told.guarantee.delta)
    text = worlds_text(told)
    assert f"({number}, rounded up)" in text
    best = at_most(float(told.attack.best_guess(0.5)))
    assert f"({best}, rounded up)" in text
    assert best in readings_text(told, found.largest_loss)
    assert number in belief_picture(told, 0.5).title
    picture = worlds_picture(told)
    filled = [t for t in picture.figure.data if t.marker.symbol == "square"]
    for law in told.laws.values():
        share = float(law.best_guess(0.5))
        count, among = counted(share)
        assert f"in at most {count:,} of {among:,} ({at_most(share)}, rounded up)" in text
    # The picture is of the mechanism: before its release, and after.
    right, of = counted(float(told.attack.best_guess(0.5)))
    assert picture.title.endswith(f"{of // 2:,} of {of:,} before, at most {right:,} after")
    assert picture.table["right"].tolist() == [of // 2, right]
    assert picture.table["of"].tolist() == [of, of]
    assert told.label in picture.table["when"][1]
    for trace, count in zip(filled, picture.table["right"], strict=True):
        assert abs(len(trace.x) - 100 * count / of) <= 0.5 + 100 / of
        assert of > 100 or len(trace.x) == count
    curve = tradeoff_picture(told, found.curve, 0.05).table
    worst = curve[f"false negative rate, {told.name}"]
    # One that is the worst of its guarantee is not drawn twice.
    assert np.all(curve.get(f"false negative rate, {told.label}", worst) >= worst - 1e-9)


def test_the_belief_of_the_page_is_exact():
    told, _ = told_of("laplace", 2.0)
    picture = belief_picture(told, 0.1)
    assert at_most(float(posterior(0.1, 2.0))) in picture.title
    after = picture.table["most, by the guarantee, %"][10]
    assert after == pytest.approx(100 * float(posterior(0.1, 2.0)), abs=1e-9)
