"""Limits of rows a person: closed forms against every choice, and every chance."""

from itertools import combinations, product

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.figures.tradeoffs import limits_picture
from dpcore.studies.row_limits import LIMITS, Guess, count_errors, mean_errors, with_limit

BOUNDS = Interval(lower=0.0, upper=10.0)
ROWS = ([1.0, 12.0, 4.0, 7.0], [9.0], [2.0, 3.0, 3.0])
PERSON = np.repeat(np.arange(3), [len(own) for own in ROWS])
VALUES = np.concatenate(ROWS)
ALL = np.array(LIMITS)


@pytest.mark.parametrize("least", [1, 6, 20])
def test_bias_and_chance_of_a_mean_are_those_of_every_choice(least):
    found = mean_errors(VALUES, PERSON, BOUNDS, least=least, epsilon=0.5, limits=np.arange(1, 6))
    truth = BOUNDS.clip(VALUES).mean()
    for place, m in enumerate(found.limits):
        ways = [combinations(own, min(m, len(own))) for own in ROWS]
        means = []
        for chosen in product(*ways):
            rows = BOUNDS.clip(np.concatenate(chosen))
            means.append(5 + (rows - 5).sum() / max(len(rows), least))
        assert 10 * found.bias[place] == pytest.approx(abs(np.mean(means) - truth))
        assert 10 * found.choice[place] == pytest.approx(np.std(means), abs=1e-12)
    assert found.kept[-1] == 1.0
    assert found.noise[0] == pytest.approx(2**0.5 / (least + 1) / 0.5)


@pytest.mark.parametrize("each", [1.0, 1.5, 4.0, 30.0])
def test_a_guess_leaves_out_what_its_law_has_beyond(each):
    q, rows = 1 - 1 / each, np.arange(1, 5000)
    law = (1 - q) * q ** (rows - 1)
    found = Guess(rows=1000, each=each, gap=0.1).mean(0.5, ALL)
    left = [(law * np.maximum(rows - m, 0)).sum() / (law @ rows) for m in ALL]
    np.testing.assert_allclose(1 - found.kept, left, atol=1e-9)
    np.testing.assert_allclose(found.bias, 0.1 * np.array(left), atol=1e-9)


def test_a_table_of_that_law_is_like_the_guess():
    rng = np.random.default_rng(4)
    owned = rng.geometric(1 / 4, 200_000)
    person = np.repeat(np.arange(len(owned)), owned)
    guess = Guess(rows=len(person), each=4.0).count(0.5, ALL)
    found = count_errors(person, 0.5, ALL)
    np.testing.assert_allclose(found.kept, guess.kept, atol=0.01)
    np.testing.assert_allclose(found.noise, guess.noise)


def test_the_best_limit_lies_between_and_the_picture_says_so():
    guess = Guess(rows=2000, each=4.0, gap=0.1)
    found = guess.mean(0.5, with_limit(7))
    assert 1 < found.best < 100
    assert 7 in found.limits
    picture = limits_picture(found, 7, of="a mean", table=False)
    assert f"At most {found.best} rows" in picture.title
    assert len(picture.table) == len(found.limits)
    assert guess.mean(0.05, ALL).best < found.best


def test_what_cannot_be_supposed_is_refused():
    for wrong in ({"rows": 0}, {"each": 0.5}, {"gap": 2.0}):
        with pytest.raises(ParameterError, match="suppose"):
            Guess(**({"rows": 10, "each": 2.0, "gap": 0.1} | wrong))
