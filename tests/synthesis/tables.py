"""A small table, the counts that it is asked for, and tables made up from them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcore.analyses.base import Mode
from dpcore.analyses.measurement import LabelledIntervals
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.synthesis import fitting, released_counts
from dpcore.synthesis.fitting import fit
from dpcore.synthesis.released_counts import questions

RNG = np.random.default_rng(20261123)
PEOPLE = 600


def filled(name, kind, value, **more):
    return Column(name=name, kind=kind, missing=MissingPolicy.REPLACE, replacement=value, **more)


AGE = filled("age", ColumnKind.NUMBER, 50.0, bounds=Interval(lower=0, upper=100), unit="years")
PAY = filled("pay", ColumnKind.NUMBER, 0.5, bounds=Interval(lower=0, upper=0.75))
WARD = filled("ward", ColumnKind.CATEGORY, "a", labels=("a", "b", "c"))
SICK = filled("sick", ColumnKind.YES_NO, "no", labels=("no", "yes"))
COLUMNS = (AGE, PAY, WARD, SICK)
_AGES = RNG.integers(0, 101, PEOPLE)
DATASET = Dataset(
    frame=pd.DataFrame(
        {
            "age": _AGES.astype(float),
            "pay": RNG.random(PEOPLE) * 0.75,
            "ward": np.array(["a", "b", "c"])[np.minimum(_AGES // 40, 2)],
            "sick": np.where(RNG.random(PEOPLE) < 0.1, "yes", "no"),
        }
    ),
    columns=COLUMNS,
    name="clinic.csv",
)


def asked(columns=COLUMNS, hub=AGE, *, epsilon=2.0, bins=5, public=True):
    relation = NeighboringRelation.SUBSTITUTION if public else NeighboringRelation.ADD_REMOVE
    size = TableSize(people=PEOPLE if public else 1, public=public)
    return questions(
        columns,
        hub=hub,
        bins=bins,
        epsilon=epsilon,
        relation=relation,
        unit=PrivacyUnit(noun="person"),
        size=lambda *_: size,
    )


def answered(request):
    """Return counts as they are released, with noise that is the same in every run."""
    exactly, noise = request.value(DATASET), request.plan.noise
    drawn = exactly + np.random.default_rng(3).laplace(0, noise, len(exactly))
    return told(request, drawn, noise * np.log(len(drawn) / 0.05))


def told(request, drawn, off):
    """Return drawn counts with intervals of that half-width."""
    labels = request.query.statistic.labels
    ends = {
        label: (float(value) - off, float(value) + off)
        for label, value in zip(labels, drawn, strict=True)
    }
    return record(
        request, labels, tuple(map(float, drawn)), LabelledIntervals(level=0.95, noise=ends)
    )


def record(request, labels, values, intervals):
    release = Release(
        id="1",
        request=request.parameters(),
        title=request.title,
        labels=labels,
        values=values,
        mechanism=request.mechanism_key,
        mechanism_label=request.mechanism_label,
        noise=request.plan.noise,
        cost=request.cost,
        event={},
        relation=request.relation,
        unit=request.unit_text,
        created="2026-11-23T00:00:00+00:00",
        draw=1,
        mode=Mode.RELEASE,
        sampler="",
        intervals=intervals,
    )
    (found,) = released_counts.read(release, request)
    return found


def made(counts, seed=1, whole_numbers=("age",)):
    trees = fitting.plant(counts)
    fitted = fit(trees)
    whole = fitting.whole(trees, fitted)
    rng = np.random.default_rng(seed)
    return (trees, fitted, whole, fitting.deal(trees, whole, rng=rng, whole_numbers=whole_numbers))


def exactly(request):
    return told(request, request.value(DATASET), 1.0)
