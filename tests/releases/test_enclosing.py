"""The interval that two further quantiles make, from public records alone."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.base import Mode
from dpcore.inference.intervals import LEVEL
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.releases.enclosing import Enclosure, enclosures, ends_at, sides_of
from dpcore.releases.table import to_csv
from tests.documents.subjects import NOW, opened
from tests.releases.questions import SUBSTITUTION, ranks
from tests.statistics.columns import dataset

AGES = np.random.default_rng(11).uniform(18, 90, 600)


def table(request):
    return dataset(request.asked.columns, age=list(AGES))


def released(request, ledger: Ledger):
    return release(
        request,
        request.value(table(request)),
        ledger=ledger,
        fingerprint="f",
        mode=Mode.RELEASE,
        now=NOW,
    )


def bought(*, sampled, q=None, epsilon=1.0):
    """Return a quantile and the two at the ends of its interval, all released."""
    ledger = opened(SUBSTITUTION)
    request = ranks(q=q, people=len(AGES), epsilon=epsilon)
    answer = released(request, ledger)
    sides = [one for one in sides_of(request, sampled=sampled) if one is not None]
    return answer, [released(one, ledger) for one in sides], ledger.releases("f")


@pytest.mark.parametrize("sampled", [False, True])
def test_an_interval_is_found_in_the_records_once_all_of_it_is_released(sampled):
    answer, (low, high), known = bought(sampled=sampled)
    (found,) = enclosures(known, sampled=sampled)
    assert (found.quantile, found.lower, found.upper) == (answer, low, high)
    assert found.level == LEVEL
    step = 100 / 500
    assert found.step == pytest.approx(step)
    (value,) = answer.values
    assert found.low == pytest.approx(min(low.values[0] - step / 2, value))
    assert found.high == pytest.approx(max(high.values[0] + step / 2, value))
    assert [end.side for end in ends_at(low, [found])] == ["lower"]
    assert [end.title for end in ends_at(high, [found])] == [answer.title]
    assert ends_at(answer, [found]) == ()
    # What is written encloses what was computed.
    lower, upper = map(float, found.text)
    assert lower <= found.low <= found.high <= upper
    for kept in ((answer, low), (answer, high), (low, high), ()):
        assert enclosures(kept, sampled=sampled) == ()


def test_what_was_released_for_a_population_encloses_the_data_too():
    _, ends, known = bought(sampled=True)
    (found,) = enclosures(known, sampled=False)
    assert (found.ends, found.sampled) == (tuple(ends), False)
    # The other way round it does not.
    _, _, known = bought(sampled=False)
    assert enclosures(known, sampled=True) == ()


@given(q=st.floats(0.05, 0.95), people=st.integers(20, 100_000), epsilon=st.floats(0.05, 5.0))
def test_the_quantiles_for_a_population_lie_beyond_those_for_the_data(q, people, epsilon):
    plan = ranks(q=q, people=people, epsilon=epsilon).plan
    near, far = (plan.enclosing(LEVEL, sampled=sampled) for sampled in (False, True))
    low, wide_low = near[0] or 0.0, far[0] or 0.0
    high, wide_high = near[1] or 1.0, far[1] or 1.0
    assert wide_low <= low < q < high <= wide_high


def test_a_side_without_a_quantile_is_the_bound_of_the_column():
    answer, ends, known = bought(sampled=True, q=0.95)
    (found,) = enclosures(known, sampled=True)
    assert (found.upper, found.high) == (None, 100.0)
    assert found.ends == tuple(ends)
    assert found.low <= answer.values[0]


def test_the_newest_draws_make_the_interval():
    answer, (low, _), known = bought(sampled=False)
    again = replace(low, id=f"{low.id}-again", draw=2, values=(3.2,))
    (found,) = enclosures((again, *known), sampled=False)
    assert found.lower == again
    assert found.low == pytest.approx(3.1)
    assert found.quantile == answer


def test_an_interval_that_misses_its_quantile_is_extended_to_it():
    answer, (low, high), _ = bought(sampled=False)
    (value,) = answer.values
    above = replace(low, values=(min(value + 5.0, 100.0),))
    plan = ranks(people=len(AGES), epsilon=1.0).plan
    found = Enclosure.of(answer, plan, (above, high), sampled=False)
    assert found.low == value


def test_a_record_that_is_no_quantile_has_none():
    answer, ends, _ = bought(sampled=False)
    odd = replace(answer, request={"query": {"kind": "median"}})
    assert enclosures((odd, *ends), sampled=False) == ()
    mean = replace(answer, mechanism="laplace")
    assert enclosures((mean, *ends), sampled=False) == ()


@pytest.mark.parametrize("sampled", [False, True])
def test_the_file_holds_the_interval_and_what_the_two_quantiles_are(sampled):
    answer, (low, high), known = bought(sampled=sampled)
    (found,) = enclosures(known, sampled=sampled)
    text = to_csv(known, enclosures=[found])
    rows = {
        row["id"]: row
        for row in csv.DictReader(io.StringIO(text))
        if row["label"] in {answer.title, low.title, high.title}
    }
    row = rows[answer.id]
    assert (float(row["noise_lower"]), float(row["noise_upper"])) == (found.low, found.high)
    assert (row["total_lower"] == "") is not sampled
    assert float(row["level"]) == LEVEL
    assert row["interval_from"] == f"{low.id} and {high.id}"
    for end, side in ((low, "lower"), (high, "upper")):
        said = f"{side} end of the interval for the {answer.title}"
        assert rows[end.id]["end_of"] == said
        assert rows[end.id]["noise_lower"] == ""
    # A file about other releases has no such columns.
    assert "end_of" not in to_csv(known)
    assert "interval_from" in to_csv([low], enclosures=[found])
