"""What the attacks find: exactly, and within what epsilon allows."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc

from dpcore.data.bounds import Interval
from dpcore.errors import DataError, ParameterError
from dpcore.privacy.interpretation import best_guess
from dpcore.studies.attacks import aggregates, noise
from dpcore.studies.attacks import aggregates as rebuild
from dpcore.studies.attacks.targets import FEWEST, Target, at_least, attackable, numbers, village
from tests.conftest import few

PEOPLE = 100


def rng(seed=0):
    return np.random.default_rng(seed)


def target(amounts, lower=0.0, upper=1.0):
    return Target(
        amounts=np.array(amounts, dtype=float),
        bounds=Interval(lower=lower, upper=upper),
        what="pay",
    )


def test_village_is_always_the_same_and_its_first_person_can_be_found():
    table = village()
    first = numbers(table, table.columns[0])
    assert np.array_equal(first.amounts, numbers(village(), table.columns[0]).amounts)
    debts = numbers(table, table.columns[1], "yes")
    assert debts.amounts[0] == 1.0
    assert 0.4 <= debts.amounts.mean() <= 0.6


def test_too_few_people_are_refused_and_thresholds_split():
    table = village(FEWEST - 1)
    with pytest.raises(DataError, match="at least 10 people"):
        numbers(table, table.columns[0])
    assert at_least(target([1.0, 2.0, 3.0], upper=5.0), 2.0).amounts.tolist() == [0.0, 1.0, 1.0]
    assert len(attackable(table)) == 2


def test_difference_of_two_laplace_draws_has_the_stated_law():
    for t in (0.0, 0.3, 2.0, 7.0):
        mass, _ = quad(lambda x: (1 + x / 1.5) * math.exp(-x / 1.5) / (4 * 1.5), t, math.inf)
        assert 2 * mass == pytest.approx(float(aggregates.outside(t, 1.5)))
    assert float(aggregates.outside(aggregates.reach(2.0), 2.0)) == pytest.approx(0.05)


def test_exact_totals_tell_the_value_and_private_ones_an_interval():
    people = target([31_250.25, 99.75, 0.0, 60_000.0], upper=100_000.0)
    for person in range(4):
        found = aggregates.attack(people, person, epsilon=1.0, rng=rng())
        assert found.exact == found.truth == people.amounts[person]
        assert found.scale == 100_000.0
        low, high = found.interval
        assert (low + high) / 2 == pytest.approx(found.private)
        assert 0 <= found.left <= 1
    # With so much epsilon the interval is as short as that of no noise.
    assert aggregates.attack(people, 1, epsilon=1e9, rng=rng()).left < 1e-6


def test_mean_of_answers_finds_the_count_and_one_answer_does_not():
    # 4,000 answers leave a standard deviation of 0.045: wrong by 1/2 in < 1e-20.
    found = noise.ask_again(57.0, epsilon=0.5, budget=5.0, times=4000, rng=rng())
    assert round(float(found.means[-1])) == 57
    assert found.settled <= 4000
    assert found.affordable == 10
    assert float(noise.band(1, 2.0)) == pytest.approx(1.96 * 2 * math.sqrt(2), 1e-3)
    assert noise.ask_again(1.0, epsilon=0.1, budget=0.3, times=1, rng=rng()).affordable == 3
    with pytest.raises(ParameterError):
        noise.ask_again(1.0, epsilon=1.0, budget=1.0, times=0, rng=rng())


def test_parts_are_what_they_are_called():
    halves = rebuild.parts(rebuild.Parts.HALVES, people=40, counts=300, rng=rng())
    assert set(np.unique(halves)) == {0.0, 1.0}
    runs = rebuild.parts(rebuild.Parts.RUNS, people=7, counts=300, rng=rng())
    assert runs.sum(axis=1).min() >= 1
    # One run of ones in each: it begins once and ends once.
    edges = np.abs(np.diff(np.pad(runs, ((0, 0), (1, 1))), axis=1)).sum(axis=1)
    assert set(edges) == {2.0}


@pytest.mark.parametrize("kind", rebuild.Parts)
@pytest.mark.parametrize("seed", range(3))
def test_exact_counts_give_the_column_away(kind, seed):
    draw = rng(seed)
    bits = np.asarray(draw.random(PEOPLE) < draw.uniform(0.2, 0.8), dtype=float)
    solver = rebuild.Solver.of(rebuild.parts(kind, people=PEOPLE, counts=4 * PEOPLE, rng=draw))
    share = rebuild.known_roughly(float(bits.mean()))
    for method in (
        rebuild.ReconstructionMethod if seed == 0 else [rebuild.ReconstructionMethod.LEAST_SQUARES]
    ):
        told = rebuild.rounded_counts(solver, bits)
        assert rebuild.recover(solver, told, bits, share=share, method=method).item() >= 0.95


@pytest.mark.parametrize("epsilon", few(1, 0.1, 1.0, 2.0))
def test_private_counts_stay_below_what_epsilon_allows(epsilon):
    # Fair coins: right guesses are dominated by as many coins that fall right with
    # probability e^eps/(1 + e^eps), and independent columns add up.
    right, columns, draw = 0, 40, rng(round(10 * epsilon))
    inside = rebuild.parts(rebuild.Parts.HALVES, people=PEOPLE, counts=2 * PEOPLE, rng=draw)
    solver = rebuild.Solver.of(inside)
    for _ in range(columns):
        bits = np.asarray(draw.integers(0, 2, PEOPLE), dtype=float)
        told = rebuild.private_counts(solver, bits, epsilon=epsilon, runs=1, rng=draw)
        found = rebuild.recover(solver, told, bits, share=0.5)
        right += round(found.item() * PEOPLE)
    total = columns * PEOPLE
    allowed = float(best_guess(epsilon))
    most = math.ceil(total * allowed + 6 * math.sqrt(total / 4))
    assert float(betainc(most, total - most + 1, allowed)) < 1e-8
    assert right < most


def test_all_counts_together_cost_the_total_for_every_person():
    inside = rebuild.parts(rebuild.Parts.HALVES, people=30, counts=90, rng=rng())
    scale = rebuild.noise_scale(rebuild.Solver.of(inside), 0.7)
    assert (inside.sum(axis=0) / scale).max() <= 0.7
    assert (inside.sum(axis=0) / scale).max() == pytest.approx(0.7)


def test_luck_is_the_tail_of_the_binomial_law():
    for n, p in ((10, 0.5), (7, 0.73)):
        most = round(rebuild.likely_at_most(n, p, missed=0.1) * n)
        tail = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(most + 1, n + 1))
        assert tail <= 0.1 < (tail + math.comb(n, most) * p**most * (1 - p) ** (n - most))


def test_a_column_of_one_answer_is_guessed_without_counts():
    bits = np.zeros(20)
    solver = rebuild.Solver.of(rebuild.parts(rebuild.Parts.HALVES, people=20, counts=40, rng=rng()))
    told = rebuild.private_counts(solver, bits, epsilon=0.01, runs=3, rng=rng())
    assert rebuild.recover(solver, told, bits, share=0.0).tolist() == [1.0] * 3
    assert rebuild.guessing(bits) == 1.0


def test_likelihood_ratio_test_is_right_as_often_as_the_formula_says():
    people = target([0.2, 1.0, 0.0, 0.7])
    exact = aggregates.game(people, 1, epsilon=None)
    rounds = aggregates.play(exact, 500, rng=rng())
    assert rounds.right(exact.says_inside(rounds.released)).all()
    count = 100_000
    for person, epsilon in ((1, 1.0), (0, 3.0), (2, 1.0)):
        about = aggregates.game(people, person, epsilon=epsilon)
        # By quadrature: the chance of a release on the right side of the middle.
        by_law = 0.5 + 0.5 * -math.expm1(-about.value / (2 * about.scale))
        assert about.expected == pytest.approx(by_law)
        assert about.expected <= 1 / (1 + math.exp(-epsilon))
        played = aggregates.play(about, count, rng=rng(person))
        share = played.right(about.says_inside(played.released)).mean()
        assert abs(share - about.expected) < 6.5 * 0.5 / math.sqrt(count)


def test_careless_noise_gives_the_answer_away_and_a_grid_does_not():
    for first, second in ((1.0, 0.0), (0.0, 3.0)):
        naive = noise.careless(first, second, 1.0, draws=300, rng=rng())
        grid = noise.on_grid(first, second, 1.0, draws=300, rng=rng())
        # A value of 0 keeps all digits of small noise, and 1 does not.
        assert naive.given_away > (0.2 if second == 0 or first == 0 else 0)
        assert grid.given_away == 0
    with pytest.raises(ParameterError):
        noise.step_of(0.0)


def test_noise_on_the_grid_has_the_scale_of_laplace_noise():
    drawn = noise.grid_releases(5.0, 2.0, draws=100_000, rng=rng())
    size = np.abs(drawn - 5.0)
    # |noise| is exponential: 100,000 draws leave a standard error of 0.0063.
    assert abs(float(size.mean()) - 2.0) < 6.5 * 2.0 / math.sqrt(100_000)
    step = noise.step_of(2.0)
    assert np.array_equal(drawn / step, np.round(drawn / step))


def test_time_tells_as_much_as_the_distance_of_the_two_laws():
    first, second = 0.5, 0.8
    tries = np.arange(1, 500)
    laws = ((1 - kept) ** (tries - 1.0) * kept for kept in (first, second))
    gap = np.abs(np.subtract(*laws))
    by_law = 0.5 + float(gap.sum()) / 4
    assert noise.right(first, second, releases=1) == pytest.approx(by_law)
    laws = [noise.at_most(tries, kept, releases=7) for kept in (first, second)]
    by_search = 0.5 + float(np.abs(laws[0] - laws[1]).max()) / 2
    assert noise.right(second, first, releases=7) == pytest.approx(by_search)
    more = [noise.right(first, second, releases=r) for r in (1, 2, 10, 100)]
    assert more == sorted(more)
    assert more[-1] > 0.99
    assert noise.right(1.0, 1.0, releases=5) == 0.5
    assert noise.right(1e-9, 1.0, releases=3) == pytest.approx(1.0)
    with pytest.raises(ParameterError):
        noise.right(0.0, 0.5, releases=1)


def test_stopwatch_of_a_steady_release_is_the_same_in_both_worlds():
    watch = noise.steady(64, releases=2000, rng=rng())
    error = noise.JITTER * math.sqrt(2 / 2000)
    assert abs(float(watch.first.mean() - watch.second.mean())) < 6.5 * error
    redrawn = noise.redrawing(0.5, 0.9, releases=2000, rng=rng())
    assert float(redrawn.first.mean()) > 1.5 * float(redrawn.second.mean())
