"""A table with numbers that chance does not write, and what nobody may learn about it."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd

from dpcore.analyses.base import Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.model_errors import balanced_penalty
from dpcore.analyses.number import Query
from dpcore.data.dataset import Dataset
from dpcore.figures.resampling.bootstrap import methods
from dpcore.individual.counterfactual import move_in_statistic
from dpcore.individual.model_losses import known_relations, model_losses
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.individual.person_totals import Counting, person_totals
from dpcore.individual.release_losses import release_losses
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.attacks.noise import attack_mean
from dpcore.studies.individual.hypothesis_tests import laws_of_statistic
from dpcore.studies.resampling.bootstrap_study import Experiment, People, exact_coverage
from dpcore.studies.resampling.subsampling_study import SampledMean
from tests.individual.plans import Plan
from tests.statistics.columns import number

PEOPLE = 1013
INCOMES = np.random.default_rng(7).gamma(3.0, 9123.4567, PEOPLE).round(4)
TOP = 100_000.0
COLUMN = "yearly_income"
EPSILON, SAMPLED = 0.2, 0.5
TOTALS_DELTA = 1e-5
# The last is on no public list.
REGIONS = ("north", "south", "west", "elsewhere")
MECHANISMS = ("output", "posterior")
SUBSTITUTION, ADD_REMOVE = NeighboringRelation.SUBSTITUTION, NeighboringRelation.ADD_REMOVE


TARGET, FEATURE = number(COLUMN, TOP), number("hours", 80.0)


def table() -> str:
    """Return the table as a CSV with three columns."""
    hours, region = _others()
    rows = zip(INCOMES, hours, region, strict=True)
    lines = [f"{income},{hour},{REGIONS[place]}" for income, hour, place in rows]
    return "\n".join([f"{COLUMN},hours,region", *lines, ""])


def _others():
    rng = np.random.default_rng(8)
    hours = (INCOMES / 2000 + rng.gamma(2.0, 7.1234, PEOPLE)).round(4)
    return hours, rng.choice(4, PEOPLE, p=[0.37, 0.29, 0.21, 0.13])


def statistics() -> dict[str, float]:
    """Return true statistics."""
    hours, region = _others()
    inside = np.clip([INCOMES, hours], 0, [[TOP], [80.0]])
    first, product, _, second = np.cov(inside).ravel()
    incomes = inside[0]
    known = {
        "mean": incomes.mean(),
        "sum": incomes.sum(),
        "variance": incomes.var(),
        "deviation": incomes.std(),
        "sample deviation": incomes.std(ddof=1),
        "proportion": (incomes >= TOP / 2).mean(),
        "lowest": INCOMES.min(),
        "highest": INCOMES.max(),
        "covariance": product,
        "product, divisor n": product * (PEOPLE - 1) / PEOPLE,
        "variance of incomes": first,
        "variance of hours": second,
        "correlation": product / np.sqrt(first * second),
        "median": np.median(INCOMES),
    }
    for place, name in enumerate(REGIONS):
        mine = incomes[region == place]
        known |= {f"share of {name}": len(mine) / PEOPLE, f"variance of {name}": mine.var(ddof=1)}
    return {name: float(value) for name, value in known.items()}


def request(kind: StatisticKind) -> Request:
    """Return the question as the Release page asks it of the table."""
    query = Query(
        kind=kind,
        column=TARGET,
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=PEOPLE, public=True),
    )
    return Request(query=query, mechanism_key="laplace", epsilon=EPSILON)


def losses() -> dict[str, dict[str, float]]:
    """Return what each view of Individual privacy shows of the mean."""
    asked = request(StatisticKind.MEAN)
    exposed = per_instance_losses(
        Plan(asked.mechanism, asked.query.sensitivity),
        asked.query.statistic,
        INCOMES,
        relation=ADD_REMOVE,
        delta=0.0,
        rows=1,
    )
    most = int(np.argmax(exposed.epsilon))
    middle = int(np.flatnonzero(exposed.epsilon == exposed.ordered[PEOPLE // 2])[0])
    line = laws_of_statistic(asked, exposed, most, label="").line()
    bounds = TARGET.bounds
    pushed = float(bounds.clip(INCOMES[middle] + TOP / 2))
    moved = move_in_statistic(asked, exposed, middle, pushed)
    told = attack_mean(INCOMES, 0, bounds=bounds, epsilon=EPSILON, rng=np.random.default_rng(1))
    spent = release_losses(
        asked.plan,
        asked.query.statistic,
        INCOMES,
        rows=np.arange(PEOPLE),
        people=PEOPLE,
        relation=ADD_REMOVE,
    )
    totals = person_totals([spent], people=PEOPLE, delta=TOTALS_DELTA)
    return {
        "All people": {
            "largest loss": exposed.maximum,
            "median loss": float(np.median(exposed.epsilon)),
            "smallest loss": float(exposed.epsilon.min()),
        },
        "One person": {"end of a law": float(line.x[0]), "other": float(line.x[-1])},
        "What-if": {"own before": moved.own_before, "own after": moved.own_after},
        "Publishing losses": {"told": told.told, "recovered": told.recovered, "truth": told.truth},
        "All releases": {"total": float(totals.of[Counting.BEST].max())},
    }


def model(key: str) -> ModelRequest:
    """Return the model as the page asks for it at first."""
    question = ModelQuestion(
        design=Design(target=TARGET, features=(FEATURE,)),
        model=ModelKind.LINEAR,
        penalty=Penalty(strength=64.0),
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        most_people=PEOPLE,
    )
    usual = balanced_penalty(question, epsilon=1.0, delta=1e-6)
    question = replace(question, penalty=Penalty(strength=usual))
    return ModelRequest(question=question, mechanism_key=key, epsilon=1.0, delta=1e-6)


def models() -> dict[str, float]:
    """Return the fit and losses from it."""
    frame = pd.read_csv(io.StringIO(table()))[[COLUMN, "hours"]]
    dataset = Dataset(name="people", frame=frame, columns=(TARGET, FEATURE))
    known: dict[str, float] = {}
    for key in MECHANISMS:
        asked = model(key)
        fit = asked.question.fit(dataset)
        units = asked.question.design.in_units(fit.theta)
        left = model_losses(asked, fit, relation=ADD_REMOVE)
        first = left.most_exposed(1)[0].entry
        known |= {
            "intercept": float(fit.theta[0]),
            "slope": float(fit.theta[1]),
            "constant in units": units.constant,
            "slope in units": float(units.slopes[0]),
            f"{key}, largest": left.maximum,
            f"{key}, median": float(np.median(left.epsilon)),
            f"{key}, newcomers": left.for_all,
            f"{key}, leverage": float(left.influence.leverage[first]),
            f"{key}, residual": float(left.influence.residual[first]),
            f"{key}, shift": float(left.influence.move[first]),
        }
        if SUBSTITUTION in known_relations(asked.law, linear=True):
            # What the page shows first: another record in the person's place.
            other = model_losses(asked, fit, relation=SUBSTITUTION)
            known |= {
                f"{key}, replaced": other.maximum,
                f"{key}, replaced, median": float(np.median(other.epsilon)),
                f"{key}, replaced, certificate": other.certificate,
            }
    return known


def resampling() -> dict[str, dict[str, float]]:
    """Return what each area of the pages of resampling shows."""
    inside = TARGET.bounds.clip(INCOMES)
    people = People.of(inside, bounds=TARGET.bounds, name=COLUMN, unit="")
    mine = Experiment(population=people, people=500, rho=0.5, times=50)
    unbiased, *_ = methods(tail=0.05, level=0.95)
    at = SampledMean.of(inside - TOP / 2, width=TOP, epsilon=SAMPLED)
    by_sample = np.sqrt(at.fixed_size(np.geomspace(1 / PEOPLE, 1, 100)).sampling)
    return {
        "standard-errors": {
            f"coverage of {k}": exact_coverage(replace(mine, times=k), unbiased.method)
            for k in (20, 50, 200)
        },
        "sampled-column": {"one row": float(by_sample[0])},
        "resized": {"mean": float(inside.mean())},
    }
