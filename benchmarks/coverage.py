"""How often intervals hold what they say: ``python -m benchmarks.coverage``.

Four populations like tables that people bring: groups of very different size, values
beyond their bounds, missing values. Of each, tables are drawn again and again; of every
table each question is released once, by the secure samplers. Counted is how often all
intervals of an answer hold: those from the noise alone the numbers of the table, as
computed; those with sampling the numbers of the population.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from scipy.special import bdtr

from dpcore.analyses.base import Question, Request
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferencePlan, DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.labels import LabelsPlan, LabelsQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.measurement import Answer
from dpcore.analyses.number import Query
from dpcore.analyses.quantiles import ChainPlan
from dpcore.analyses.sharpening import EarlierAnswer
from dpcore.analyses.spanning_tree import SyntheticQuery, TreePlan
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.mechanisms.catalog import DISCRETE
from dpcore.postprocessing.share_constraints import Constraint, ConstraintKind
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import equal_edges
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind

_RELEASES: Final = 400
_POPULATION: Final = 200_000
_SUSPICIOUS: Final = 1e-3
_TOTALS: Final = (
    StatisticKind.SUM,
    StatisticKind.COUNT,
    StatisticKind.HISTOGRAM,
    StatisticKind.CROSS_TABLE,
    StatisticKind.MARGINALS,
)
_DELTA: Final = 1e-6
_A_WEEK: Final = Interval(lower=7.0, upper=float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A population, what is declared about it, and what is asked of its tables."""

    name: str
    people: int
    draw: Callable[[np.random.Generator, int], dict[str, object]]
    columns: tuple[Column, ...]
    questions: Mapping[str, Request]


def main() -> None:
    """Release everything, and print the coverage of each question."""
    releases = int(sys.argv[1]) if len(sys.argv) > 1 else _RELEASES
    for job in (hospital(), company(), school(), town()):
        print(f"{job.name}: {job.people:,} people, {releases} releases of each")
        for title, (noise, total) in coverage(job, releases).items():
            print(f"  {title:<52} {_told(noise, releases)}  {_told(total, releases)}")


def coverage(job: Job, releases: int) -> dict[str, tuple[int | None, int | None]]:
    """Return how often the intervals of each question held, noise alone and total."""
    rng = np.random.default_rng(0)
    everybody = _dataset(job, rng, _POPULATION)
    held: dict[str, tuple[int | None, int | None]] = {}
    for title, asked in job.questions.items():
        of_all = _numbers(_at_large(asked), everybody)
        if asked.query.kind in _TOTALS:
            part = job.people / _POPULATION
            of_all = {name: part * total for name, total in of_all.items()}
        counts: list[list[bool]] = [[], []]
        for _ in range(releases):
            table = _dataset(job, rng, job.people)
            answer = _answer(asked, asked.value(table))
            if answer.intervals is None:
                continue
            here = _numbers(asked, table)
            for place, (ends, truth) in enumerate(
                ((answer.intervals.noise, here), (answer.intervals.total, of_all))
            ):
                shown = [name for name in answer.labels if name in (ends or {})]
                if shown or ends:
                    counts[place] += [all(_within((ends or {})[n], truth[n]) for n in shown)]
        held[title] = tuple(sum(c) if c else None for c in counts)  # type: ignore[assignment] # two of them
    return held


def hospital() -> Job:
    """Return 812 stays on wards of 1 to 400, one of which nobody was on."""
    wards = ("medicine", "surgery", "geriatrics", "children", "burns", "hospice")
    shares = (0.46, 0.33, 0.12, 0.07, 0.012, 0.008)
    means = np.array([1.7, 1.4, 2.3, 1.0, 2.9, 2.2])

    def draw(rng: np.random.Generator, people: int) -> dict[str, object]:
        ward = rng.choice(6, size=people, p=shares)
        pain = np.clip(rng.normal(4.2, 2.4, people), 0, 10)
        return {
            "ward": np.array(wards)[ward],
            "days": np.exp(rng.normal(means[ward], 0.8)),
            "pain": np.where(rng.random(people) < 0.18, np.nan, pain),  # noqa: PLR2004
            "fell": np.where(rng.random(people) < 0.05, "yes", "no"),  # noqa: PLR2004
        }

    days = number_column("days", 0, 30)
    pain = number_column("pain", 0, 8, missing=MissingPolicy.DROP)
    ward = label_column("ward", (*wards, "eyes"))
    fell = Column(name="fell", kind=ColumnKind.YES_NO, labels=("no", "yes"))
    return Job(
        name="hospital",
        people=812,
        draw=draw,
        columns=(days, pain, ward, replace(fell, missing=MissingPolicy.DROP)),
        questions=_usual(days, ward, 812)
        | _usual(pain, ward, 300, private=True)
        | _several((days, pain), ward)
        | _categories(days, (ward, replace(fell, missing=MissingPolicy.DROP)), 812),
    )


def company() -> Job:
    """Return 143 employees of five departments, the board far beyond the bounds."""
    shares = (0.5, 0.2, 0.17, 0.11, 0.02)
    names = ("production", "logistics", "office", "sales", "board")
    means = np.array([10.45, 10.4, 10.65, 10.75, 12.1])

    def draw(rng: np.random.Generator, people: int) -> dict[str, object]:
        place = rng.choice(5, size=people, p=shares)
        return {"department": np.array(names)[place], "pay": np.exp(rng.normal(means[place], 0.22))}

    pay, department = number_column("pay", 15_000, 150_000), label_column("department", names)
    return Job(
        name="company",
        people=143,
        draw=draw,
        columns=(pay, department),
        questions=_usual(pay, department, 143, epsilon=3.0)
        | _bounded(pay, department, 143, epsilon=3.0),
    )


def school() -> Job:
    """Return 5,000 pupils of five kinds of schools, two of them rare."""
    shares = (0.42, 0.3, 0.25, 0.026, 0.004)
    names = ("A", "B", "C", "D", "E")

    def draw(rng: np.random.Generator, people: int) -> dict[str, object]:
        minutes = rng.gamma(2.2, 90, people)
        return {
            "school": np.array(names)[rng.choice(5, size=people, p=shares)],
            "minutes": np.where(rng.random(people) < 0.07, np.nan, minutes),  # noqa: PLR2004
            "sleep": np.clip(9.5 - minutes / 200 + rng.normal(0, 1, people), 3, 12),
        }

    minutes = number_column("minutes", 0, 480, missing=MissingPolicy.REPLACE)
    kind, sleep = label_column("school", names), number_column("sleep", 4, 12)
    together = JointQuery(
        kind=StatisticKind.COVARIANCE_MATRIX, numbers=(sleep, minutes), **terms_of(5000)
    )
    return Job(
        name="school",
        people=5000,
        draw=draw,
        columns=(minutes, kind, sleep),
        questions=_usual(minutes, kind, 5000)
        | _several((minutes, sleep), kind)
        | {"covariance matrix": Request(query=together, mechanism_key="bit", epsilon=2)},
    )


def town() -> Job:
    """Return 944 people of 40 streets, most of which few people live in."""
    shares = 1 / np.arange(1, 41)

    def draw(rng: np.random.Generator, people: int) -> dict[str, object]:
        age = np.clip(rng.normal(44, 17, people), 0, 100)
        street = rng.choice(40, size=people, p=shares / shares.sum())
        return {
            "street": np.array([f"street {place}" for place in range(40)])[street],
            "age": age,
            "smoker": np.where(rng.random(people) < 0.3 - age / 500, "yes", "no"),
        }

    age, terms = number_column("age", 0, 100), terms_of(944)
    smoker = replace(label_column("smoker", ("no", "yes")), kind=ColumnKind.YES_NO)
    street = Column(name="street", kind=ColumnKind.CATEGORY)
    columns = [(age, equal_edges(age.bounds, 4)), (smoker, None)]
    count = Query(
        kind=StatisticKind.COUNT, column=smoker, membership=Membership(label="yes"), **terms
    )
    mean = Query(kind=StatisticKind.MEAN, column=age, **terms)
    before = EarlierAnswer(id="", epsilon=0.5, scale=1.0, values=())
    asked = {
        "sharper mean: Laplace": (mean, "laplace", before),
        "sharper mean: BIT Laplace": (mean, "bit", before),
        "sharper count: BIT discrete Laplace": (count, DISCRETE.key, before),
        "labels of street": (
            LabelsQuery.of(street, relation=count.relation, unit=count.unit),
            "label-selection",
            None,
        ),
        "counts of MST": (SyntheticQuery.of(columns, **terms), "spanning-tree", None),
    }
    questions = {
        title: Request(query=query, mechanism_key=key, epsilon=1.0, delta=_DELTA, sharpens=sharpens)
        for title, (query, key, sharpens) in asked.items()
    }
    without = replace(questions["counts of MST"], delta=0.0)
    return Job(
        name="town",
        people=944,
        draw=draw,
        columns=(street, age, smoker),
        questions=questions | {"counts of MST, without δ": without},
    )


def _usual(
    column: Column, group: Column, people: int, *, private: bool = False, epsilon: float = 1.0
) -> dict[str, Request]:
    """Return what one would ask of a number and a category."""
    terms = terms_of(people, private=private)
    kinds = StatisticKind
    middle = (column.bounds.lower + column.bounds.upper) / 2  # type: ignore[union-attr] # set
    high = Membership(interval=replace(column.bounds, lower=middle))  # type: ignore[type-var]
    asked = (
        ("mean of", kinds.MEAN, "bit"),
        ("sum of", kinds.SUM, "laplace"),
        ("share of high", kinds.PROPORTION, "truncated"),
        ("deviation of", kinds.STANDARD_DEVIATION, "laplace"),
    )
    members = {kinds.PROPORTION: {"membership": high}}
    questions = {
        f"{title} {column.name}": Request(
            query=Query(kind=kind, column=column, **members.get(kind, {}), **terms),
            mechanism_key=key,
            epsilon=epsilon,
        )
        for title, kind, key in asked
    }
    any_size = terms | {"size": ANY_SIZE}
    by_group = (kinds.MEAN, kinds.PROPORTION, kinds.STANDARD_DEVIATION, kinds.MEAN_AND_SPREAD)
    for kind in by_group:
        part = Query(kind=kind, column=column, **members.get(kind, {}), **any_size)
        for key in ("laplace", "gaussian") if kind is kinds.MEAN_AND_SPREAD else ("laplace",):
            questions[f"{kind} of {column.name} by {group.name}, {key}"] = Request(
                query=GroupedQuery(part=part, group=Grouping.of(group)),
                mechanism_key=key,
                epsilon=epsilon,
                delta=_DELTA,
            )
    questions |= _newer(column, group, terms, epsilon)
    every = Query(kind=kinds.PROPORTIONS, column=group, **terms)
    # Shares of a private number are those of its public minimum: not of the table.
    procedures = () if private else (ConstraintKind.RESCALE, ConstraintKind.PROJECT)
    for procedure in procedures:
        questions[f"shares of {group.name}, {procedure}"] = Request(
            query=every, mechanism_key="bit", epsilon=epsilon, constraint=Constraint(kind=procedure)
        )
    return questions


def _newer(
    column: Column, group: Column, terms: dict[str, object], epsilon: float
) -> dict[str, Request]:
    """Return several quantiles, a cross table, and the gap of two groups.

    The last group is the rarest one, or nobody is in it.
    """
    kinds = StatisticKind
    quantiles = Query(kind=kinds.QUANTILES, column=column, qs=(0.1, 0.25, 0.5, 0.75, 0.9), **terms)
    crossed = CrossedQuery(
        crossed=(
            Query(
                kind=kinds.HISTOGRAM, column=column, edges=equal_edges(column.bounds, 4), **terms
            ),
            Query(kind=kinds.HISTOGRAM, column=group, **terms),
        )
    )
    part = Query(kind=kinds.MEAN, column=column, **terms | {"size": ANY_SIZE})
    labels = group.labels
    asked: dict[str, Question] = {
        f"quantiles of {column.name}": quantiles,
        f"{column.name} x {group.name}": crossed,
    }
    for one, other in ((labels[0], labels[1]), (labels[0], labels[-1])):
        asked[f"{column.name}: {one} - {other}"] = DifferenceQuery(
            part=part, group=Grouping.of(group), pair=(one, other)
        )
    return {
        title: Request(query=query, mechanism_key="laplace", epsilon=epsilon)
        for title, query in asked.items()
    }


def _categories(column: Column, groups: tuple[Column, ...], people: int) -> dict[str, Request]:
    """Return what is asked of the cells of two columns, and of every pair of three."""
    kinds, terms = StatisticKind, terms_of(people, private=True)
    asked: dict[str, Question] = {}
    for kind in (kinds.COUNT, kinds.MEAN):
        part = Query(
            kind=kind,
            column=column,
            membership=Membership(interval=_A_WEEK) if kind is kinds.COUNT else None,
            **terms | {"size": ANY_SIZE},
        )
        query = GroupedQuery(part=part, group=Grouping.of(*groups))
        asked[query.title] = query
    sides = tuple(
        Query(
            kind=kinds.HISTOGRAM,
            column=each,
            edges=equal_edges(column.bounds, 4) if each is column else None,
            **terms,
        )
        for each in (column, *groups)
    )
    for consistent in (False, True):
        asked[f"every pair, {'consistent' if consistent else 'as drawn'}"] = MarginalsQuery(
            crossed=sides, tables=((0, 1), (0, 2), (1, 2)), consistent=consistent
        )
    return {
        f"{title}, {key}": Request(query=query, mechanism_key=key, epsilon=1.0, delta=_DELTA)
        for title, query in asked.items()
        for key in ("laplace", "gaussian")
    }


def _bounded(column: Column, group: Column, people: int, *, epsilon: float) -> dict[str, Request]:
    """Return a mean, and counts, by bounded mechanisms."""
    mean, counts = (
        Query(kind=kind, column=of, **terms_of(people))
        for kind, of in ((StatisticKind.MEAN, column), (StatisticKind.HISTOGRAM, group))
    )
    return {
        f"{query.title}, {key}": Request(
            query=query, mechanism_key=key, epsilon=epsilon, delta=_DELTA
        )
        for query, key in (
            (mean, "bit-gaussian"),
            (mean, "truncated-gaussian"),
            (mean, "limited"),
            (counts, "bit-discrete"),
            (counts, "bit-gaussian"),
        )
    }


def _several(numbers: tuple[Column, ...], group: Column) -> dict[str, Request]:
    """Return the means of several columns by group, by both kinds of noise."""
    query = MeansQuery(
        numbers=numbers,
        group=Grouping.of(group),
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
    )
    return {
        f"{query.title}, {key}": Request(query=query, mechanism_key=key, epsilon=1.0, delta=1e-6)
        for key in ("laplace", "gaussian")
    }


def number_column(
    name: str, low: float, high: float, *, missing: MissingPolicy = MissingPolicy.REPLACE
) -> Column:
    """Return a column of numbers within bounds."""
    fills = missing is MissingPolicy.REPLACE
    return Column(
        name=name,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=float(low), upper=float(high)),
        missing=missing,
        replacement=(low + high) / 2 if fills else None,
    )


def label_column(name: str, labels: tuple[str, ...]) -> Column:
    """Return a column with a list of labels."""
    return Column(
        name=name,
        kind=ColumnKind.CATEGORY,
        labels=labels,
        missing=MissingPolicy.REPLACE,
        replacement=labels[0],
    )


def terms_of(people: int, *, private: bool = False) -> dict[str, object]:
    """Return relation, privacy unit and public size of a question."""
    return {
        "relation": NeighboringRelation.SUBSTITUTION,
        "unit": PrivacyUnit(),
        "size": TableSize(people=people, public=not private),
    }


def _answer(asked: Request, value: FloatArray) -> Answer:
    """Return an answer; before a sharper one, the earlier one is drawn."""
    if asked.sharpens is None:
        return asked.plan.answer(value, cost=asked.cost)
    first = replace(asked, epsilon=asked.sharpens.epsilon, sharpens=None)
    earlier = replace(
        asked.sharpens,
        values=first.plan.answer(value, cost=first.cost).values,
        scale=first.mechanism.secure_scale(  # type: ignore[attr-defined] # of these mechanisms
            len(value), sensitivity=first.sensitivity, cost=first.cost
        ),
    )
    sharper = replace(asked, sharpens=earlier)
    return sharper.plan.answer(value, cost=sharper.cost)


def _dataset(job: Job, rng: np.random.Generator, people: int) -> Dataset:
    frame = pd.DataFrame(job.draw(rng, people))
    known = {column.name: column for column in job.columns}
    return Dataset(
        name=job.name, frame=frame, columns=tuple(known[str(name)] for name in frame.columns)
    )


def _at_large(asked: Request) -> Request:
    """Return the same question of everybody, whose number is as large as it is."""
    query = asked.query
    if isinstance(query, GroupedQuery | DifferenceQuery | MeansQuery):
        return asked
    people = _POPULATION if query.size.public else 3
    return replace(asked, query=query.resized(people))


def _numbers(asked: Request, table: Dataset) -> dict[str, float]:  # noqa: PLR0911 - one a kind
    """Return the numbers that an answer is about, by the names it gives them."""
    value, plan = asked.value(table), asked.plan
    truth = getattr(plan, "truth", None)
    if isinstance(plan, DifferencePlan):
        return {plan.names[0]: plan.truth(np.asarray(value))}
    if isinstance(plan, MeansPlan):
        return dict(
            zip(
                chain.from_iterable(plan.names),
                plan.truth(np.asarray(value)).ravel().tolist(),
                strict=True,
            )
        )
    if isinstance(plan, LabelsPlan):
        return {label: float(people) for label, people in cast("Any", value).items()}
    if isinstance(plan, TreePlan):
        names = (*plan.column_labels, *chain.from_iterable(plan.pair_labels.values()))
        counts = np.concatenate([plan.columns_of(value), value])
        return dict(zip(names, counts.tolist(), strict=True))
    if isinstance(plan, ChainPlan):
        return dict(zip(plan.names, plan.truth(value).tolist(), strict=True))
    if truth is not None:
        return dict(zip(plan.names, truth(value).tolist(), strict=True))  # type: ignore[attr-defined]
    return dict(zip(asked.query.statistic.labels, np.asarray(value).tolist(), strict=True))


def _within(ends: tuple[float, float], truth: float) -> bool:
    # Of nobody there is no number, so that none is missed.
    slack = 1e-9 * max(abs(truth), 1.0)
    return bool(np.isnan(truth) or ends[0] - slack <= truth <= ends[1] + slack)


def _told(held: int | None, releases: int) -> str:
    if held is None:
        return "     none  "
    chance = float(bdtr(held, releases, 0.95))
    mark = "!" if chance < _SUSPICIOUS else " "
    return f"{100 * held / releases:8.2f} %{mark}"


if __name__ == "__main__":
    main()
