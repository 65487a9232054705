"""Why losses are not published, and what may be published instead. CONFIDENTIAL.

What a person may be told of the own loss, beside the secret truth. CONFIDENTIAL.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.quantities import quantity_of
from dpcore.figures.individual.disclosure import (
    coverage_table,
    recovery_picture,
    reports_picture,
    told_text,
)
from dpcore.formatting import epsilon_text, in_full, measured, significant
from dpcore.individual.publishable import own_worst_shift
from dpcore.individual.release_losses import ReleaseLosses
from dpcore.models.loss_functions import ModelKind
from dpcore.privacy.events import GaussianEvent, LaplaceEvent
from dpcore.relations import NeighboringRelation
from dpcore.studies.attacks.noise import Recovery, attack_count, attack_mean
from dpcore.studies.individual.reports import (
    Reports,
    ReportSettings,
    ReportStudy,
    Sharper,
    simulated_table,
    study,
)
from ui import controls, layout, results, session
from ui.controls import Cell
from ui.individual import counterfactuals
from ui.individual.subject import ModelSubject, StatisticSubject, Subject
from ui.study import Study
from ui.text import literal

_MEAN, _COUNT, _TOLD = "Attack on a mean", "Attack on a count", "What may be published"
_USUAL_DELTA = 1e-6
_ALL, _THREE = "all digits", "3 digits, rounded up"
_DIGITS = {_ALL: None, _THREE: 3}
_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Target:
    """The column under attack. CONFIDENTIAL."""

    column: Column
    bounds: Interval
    values: FloatArray = field(repr=False)
    """Of everybody who has one, in the table's order."""
    known: NDArray[np.bool_] = field(repr=False)
    """Who of the table has one."""
    unit: str


def show(subject: Subject, study: Study) -> None:
    """Show two attacks on losses that were told, and reports that may be."""
    view = controls.HERE.radio("Look at", [_MEAN, _COUNT, _TOLD], key="publishing-view")
    if view == _TOLD:
        show_reports(subject, study)
        return
    st.markdown(
        f"One {session.unit().noun}'s own loss, compared with **not being there**, is "
        "computed from everybody's records. Anyone who learns one can often solve for the "
        "exact answer. Try it on your own column: the release is simulated and nothing is "
        "charged."
    )
    if subject.relation is NeighboringRelation.SUBSTITUTION:
        st.caption(
            "Above, “another record” is chosen; the attack compares with not being "
            "there all the same. Of a mean compared with another record the loss "
            "depends on the own value and the bounds alone, and gives no equation."
        )
    if study.dataset.cap is not None:
        st.info(counterfactuals.needs_one_row("the attack on a disclosed loss"))
        return
    target = _ask(subject, study)
    if target is not None and view == _MEAN:
        _mean(target, subject, study)
    elif target is not None:
        _count(target, subject)
    layout.methods(
        f"**A mean of n {session.unit().nouns} with Laplace noise of scale b.** Without "
        f"{session.unit().noun} i the mean moves by |xᵢ − m|/(n − 1). The loss is εᵢ = |xᵢ "
        "− m|/((n − 1) b). So εᵢ reveals m = xᵢ ± εᵢ b (n − 1). Compared with another "
        "*record* instead of a missing one, the most revealing record makes εᵢ depend only "
        "on the own value and the bounds. That number may be published.\n\n**A count Q with "
        "Gaussian noise.** The loss at the released number o is |2(o − Q) + 1|/(2σ²) for "
        "somebody who is counted.\n\nAverages and charts of losses are no safer. Each loss "
        "depends on all records, so one changed record can change the average by more than "
        "1/n.\n\nSources: Y.-X. Wang, *Per-instance differential privacy*, 2019 (losses are "
        "for the curator's eyes); R. Redberg and Y.-X. Wang, *Privately publishable "
        "per-instance privacy*, 2021, example 4.",
        "publishing-what",
    )


def _ask(subject: Subject, study: Study) -> _Target | None:
    """Let the curator choose the column; explain what is missing."""
    dataset = study.in_memory
    usable = [
        column
        for column in dataset.columns
        if column.bounds is not None or (not column.kind.is_numeric and column.labels)
    ]
    if not usable:
        st.info("Declare bounds or labels of a column on “Data” to try the attacks.")
        return None
    asked = (
        subject.request.query.column
        if isinstance(subject, StatisticSubject)
        else subject.request.question.design.target
    )
    names = [column.name for column in usable]
    left, right = controls.row(2)
    place = left.selectbox(
        "Column under attack",
        range(len(names)),
        index=names.index(asked.name) if asked.name in names else 0,
        format_func=names.__getitem__,
        key=f"attacked-{session.generation()}",
        kept="page",
    )
    column = usable[place]
    label = None
    if not column.kind.is_numeric:
        labels = column.labels
        position = right.selectbox(
            "Who counts",
            range(len(labels)),
            index=len(labels) - 1,
            format_func=labels.__getitem__,
            key=f"attacked-label-{session.generation()}-{place}",
            kept="page",
        )
        label = labels[position]
    target = _target(dataset, column, label)
    if len(target.values) < _FEWEST:
        st.info(
            f"The attack needs at least two {session.unit().nouns} with a value of this column."
        )
        return None
    return target


def _target(dataset: Dataset, column: Column, label: str | None) -> _Target:
    """Return the values of everybody who has one, of labels 1 for the one chosen."""
    if label is None:
        numbers = dataset.numbers(column.name)
        bounds = column.bounds or Interval(lower=0.0, upper=1.0)
        unit = quantity_of(column).unit
        if isinstance(column.replacement, float | int):
            numbers = np.where(np.isnan(numbers), float(column.replacement), numbers)
        known = ~np.isnan(numbers)
    else:
        codes = dataset.codes(column.name)
        known = codes >= 0
        numbers = (codes == column.labels.index(label)).astype(np.float64)
        bounds, unit = Interval(lower=0.0, upper=1.0), ""
    values = numbers if known.all() else numbers[known]
    return _Target(column=column, bounds=bounds, values=values, known=known, unit=unit)


def _mean(target: _Target, subject: Subject, study: Study) -> None:
    """Show how a person who is told the own loss solves for the mean."""
    cells = controls.row(3)
    row = cells[0].number(
        f"Row of the {session.unit().noun} who learns it",
        1,
        (1, study.dataset.people),
        key=f"told-row-{session.generation()}",
        kept="page",
        note="Anybody will do: each has an equation of their own.",
    )
    digits, seed = _settings(cells)
    if not target.known[row - 1]:
        st.info(f"The {session.unit().noun} of row {row:,} has no value of this column.")
        return
    entry = int(np.count_nonzero(target.known[: row - 1]))
    found = attack_mean(
        target.values,
        entry,
        bounds=target.bounds,
        epsilon=subject.request.epsilon,
        rng=np.random.default_rng(seed),
        digits=digits,
    )
    what = f"mean of {target.column.title}"
    _shown(found, what, target.unit)
    own = float(target.bounds.clip(target.values[entry : entry + 1])[0])
    suffix = f" {literal(target.unit)}" if target.unit else ""
    st.markdown(
        f"The {session.unit().noun} knows their own value "
        f"({significant(own, 6)}{suffix}), that "
        f"{session.unit().number(len(target.values))} were averaged, and the noise. A "
        "loss of "
        f"{told_text(found)} says how far the mean lies from that value; the release "
        f"({measured(found.release, found.reach)}{suffix}) says on which side."
    )
    if not study.size(target.column).public:
        st.caption(
            f"How many {session.unit().nouns} were averaged is private here. The attack assumes "
            f"that the {session.unit().noun} knows it."
        )


def _count(target: _Target, subject: Subject) -> None:
    """Show how anybody who reads a realized loss solves for the count."""
    cells = controls.row(3)
    if target.column.kind.is_numeric:
        bounds = target.bounds
        threshold = cells[0].number(
            "Who counts: a value of at least",
            bounds.lower + bounds.width / 2,
            key=f"attacked-from-{session.generation()}-{bounds.lower:g}-{bounds.upper:g}",
            kept="page",
            note="Starts in the middle of the public bounds.",
        )
        counted = int(np.count_nonzero(target.values >= threshold))
        what = (
            f"number of {session.unit().nouns} with {target.column.title} at least "
            f"{in_full(threshold)}"
        )
    else:
        counted = int(target.values.sum())
        what = f"number of {session.unit().nouns} counted by {target.column.title}"
    digits, seed = _settings(cells)
    delta = subject.request.delta
    found = attack_count(
        counted,
        epsilon=subject.request.epsilon,
        delta=delta if delta > 0 else _USUAL_DELTA,
        rng=np.random.default_rng(seed),
        digits=digits,
    )
    _shown(found, what, "")
    low, high = (significant(candidate, 6) for candidate in found.candidates)
    st.markdown(
        "What was published is one loss: by how much the released number changes the "
        f"odds that a certain counted {session.unit().noun} is there. It leaves two "
        "possible counts, "
        f"{low} and {high}; a count is a whole number, and so the attacker needs to "
        "know nobody's record. Everybody who is counted has the same loss, so any one "
        "of them will do."
    )


def _settings(cells: Sequence[Cell]) -> tuple[int | None, int]:
    told = cells[1].selectbox(
        "Digits of the loss",
        list(_DIGITS),
        key="told-digits",
        note="Rounding blurs the answer, and does not hide it.",
    )
    seed = cells[2].draw(
        "Draw", "Another number, another simulated release.", key="attack-draw", most=10**6
    )
    return _DIGITS[told], seed


def _shown(found: Recovery, what: str, unit: str) -> None:
    """Show the recovered number beside the truth."""
    results.metrics(
        {
            "Disclosed loss": (
                f"ε = {told_text(found)}",
                (
                    f"The {session.unit().noun}'s own loss from this one answer, with as many "
                    "digits as are disclosed."
                ),
            ),
            "Attacker finds": (
                significant(found.recovered, 6),
                "What follows for the exact number from the released one and the disclosed loss.",
            ),
            "Without noise": (
                significant(found.truth, 6),
                "Confidential: the exact number, which nobody outside should ever know.",
            ),
        }
    )
    results.show(recovery_picture(found, what=what, unit=unit), "recovery")


_MINE, _SIMULATED = "your model", "a simulated table"
_AT_ONCE, _PATIENCE = 20, 1.0
_MORE = "_more_report_draws"


@dataclass(slots=True, kw_only=True)
class _Draws:
    """Simulated releases so far: the latest, and how often reports held. CONFIDENTIAL.

    ``covered`` holds for each draw the share of people for whom each report held.
    """

    study: ReportStudy
    pending: Iterator[Reports] = field(repr=False)
    latest: Reports = field(repr=False)
    covered: list[dict[str, float]] = field(repr=False)

    @classmethod
    def of(cls, begun: ReportStudy, rng: np.random.Generator) -> _Draws:
        """Return the study with its first release."""
        pending = begun.draws(rng)
        first = next(pending)
        return cls(study=begun, pending=pending, latest=first, covered=[first.covered()])

    def go_on(self, until: int, seconds: float) -> None:
        """Draw until there are so many releases, for about so long at most."""
        end = time.monotonic() + seconds
        while len(self.covered) < until and time.monotonic() < end:
            self.latest = next(self.pending)
            self.covered.append(self.latest.covered())

    @property
    def held(self) -> dict[str, float]:
        """Return the mean share for each report."""
        return {
            name: float(np.mean([one[name] for one in self.covered])) for name in self.covered[0]
        }


def show_reports(subject: Subject, study_in_use: Study) -> None:
    """Show the personalized worst case, and reports for a logistic regression."""
    st.markdown(
        f"One {session.unit().noun} may learn what depends on the **own record, public "
        "numbers and released answers** alone, because it says nothing about anybody else."
    )
    if isinstance(subject, StatisticSubject):
        _own_worst(subject.request)
    st.markdown("**Reports for a logistic regression**")
    st.markdown(
        "After objective perturbation the report below bounds "
        f"{session.unit().indefinite}'s own loss from "
        "the very numbers that were released, and is free. It is compared with the true loss. "
        "Releases are simulated here: nothing is charged."
    )
    settings = _ask_reports()
    _results(_draws(subject, study_in_use, settings, _source(subject)), settings)
    layout.methods(
        "A released fit minimizes the objective plus bᵀθ with normal b, which is drawn once. "
        f"The **realized loss** of {session.unit().indefinite} is how much this very fit "
        "changes the odds that they are in the table. Its exact value reads everybody's "
        "record. The **free report** bounds it by log(1 + f″|x|²/λ) + (f′|x|)²/(2σ²) + "
        f"|f′||x| z/σ. Here f′ and f″ are the slope and curvature of the {session.unit().noun}'s "
        "own loss at the released fit. It fails with the probability you set, for "
        f"{session.unit().indefinite} fixed before. **As published** it has −log(1 − "
        "f″|x|²/λ) in the first place, which is larger. With a **noisy Hessian** the first "
        "term becomes the leverage that is known from a second release, at its own "
        f"cost.\n\nA report is for its own {session.unit().noun}. All reports together are a "
        "table of everybody's records, and nothing here may be published.\n\nSource: R. "
        "Redberg and Y.-X. Wang, *Privately publishable per-instance privacy*, 2021, "
        "algorithm 2 and theorem 8; D. Kifer, A. Smith and A. Thakurta, 2012, for the "
        "guarantee of the fit.",
        "telling-what",
    )


def _own_worst(request: Request) -> None:
    """Ask for a value, and say what its owner may be told of this release."""
    query = request.query
    bounds = query.column.bounds
    if not isinstance(query, Query) or bounds is None or query.unit.several:
        return
    value = controls.HERE.number(
        f"The most that {session.unit().indefinite} of this value can lose, for any other records",
        bounds.lower,
        (bounds.lower, bounds.upper),
        key=f"own-value-{session.generation()}-{bounds.lower:g}-{bounds.upper:g}",
        kept="page",
        note="Any value within the public bounds: no record is looked up.",
    )
    shift = own_worst_shift(
        query.kind, float(value), bounds=bounds, size=query.size, relation=query.relation
    )
    plan, guarantee = request.plan, request.effective_epsilon
    event = plan.event
    if shift is None or not isinstance(event, LaplaceEvent | GaussianEvent):
        st.caption(
            "For this question there is nothing sharper to tell than the guarantee: ε = "
            f"{epsilon_text(guarantee)}."
        )
        return
    losses = ReleaseLosses(event=event, own=np.array([shift / plan.noise]))
    (told,) = np.atleast_1d(losses.epsilon(request.used_delta))
    st.markdown(
        f"They may learn ε **{epsilon_text(min(float(told), guarantee))}**; the guarantee for "
        f"everybody is {epsilon_text(guarantee)}."
    )


def _ask_reports() -> ReportSettings:
    cells = controls.row(4)
    epsilon = cells[0].number(
        "Guarantee ε of the fit",
        1.0,
        (0.01, 20.0),
        key="report-epsilon",
        note="Of the objective perturbation that is simulated.",
    )
    delta = cells[1].delta(
        "δ of the fit",
        1e-3,
        (1e-12, 0.1),
        key="report-delta",
        note="The chance that the guarantee fails.",
    )
    promised = cells[2].number(
        "Reports hold for, %",
        95.0,
        (50.0, 99.0),
        key="report-level",
        note=f"The chance that a report bounds the realized loss of a given {session.unit().noun}.",
    )
    more = cells[3].number(
        "Further ε for a noisy Hessian",
        0.0,
        (0.0, 20.0, 0.5),
        key="report-hessian",
        note="0 for none. With it, reports know roughly how much the others say; it is "
        "a release of its own, with the same δ.",
    )
    return ReportSettings(
        epsilon=epsilon,
        delta=delta,
        failure=1 - promised / 100,
        sharper=Sharper(epsilon=more, delta=delta) if more > 0 else None,
    )


def _source(subject: Subject) -> str:
    """Let the curator choose the table, where the subject can be one."""
    if not (
        isinstance(subject, ModelSubject) and subject.request.question.model is ModelKind.LOGISTIC
    ):
        st.info(
            "This view uses synthetic data of 2,000 people, not yours. Choose a regression "
            "model with a yes/no target above to see it on your own."
        )
        return _SIMULATED
    return st.radio(
        "Reports about",
        [_MINE, _SIMULATED],
        horizontal=True,
        key="report-source",
        help="Your model is fitted with the penalty that the guarantee needs.",
    )


def _draws(subject: Subject, study_in_use: Study, settings: ReportSettings, source: str) -> _Draws:
    """Return simulated releases, as many as asked for in about a second at a time."""
    key = f"{settings} {source}"
    if source == _MINE:
        key += f" {subject.request.analysis(study_in_use.fingerprint)}"

    def begin() -> _Draws:
        session.set_public(_MORE, _AT_ONCE)
        rng = np.random.default_rng(1)
        return _Draws.of(study(*_table(subject, source), settings, rng=rng), rng)

    draws = session.remember("report-draws", key, begin)
    wanted = session.public(_MORE)
    draws.go_on(wanted if isinstance(wanted, int) else _AT_ONCE, _PATIENCE)
    return draws


def _table(subject: Subject, source: str) -> tuple[FloatArray, FloatArray]:
    if source == _MINE and isinstance(subject, ModelSubject):
        return subject.fit.features, subject.fit.target
    return simulated_table(np.random.default_rng(0))


def _results(draws: _Draws, settings: ReportSettings) -> None:
    latest = draws.latest
    epsilon, delta = settings.cost
    st.markdown(
        "These releases have their own settings. Everything together costs ε = "
        f"{epsilon_text(epsilon)} at δ = {significant(delta)}; the fit has a penalty λ of "
        f"{significant(draws.study.fit.penalty)} and noise σ of "
        f"{significant(draws.study.fit.sigma)}."
        + (
            " The noisy Hessian needs so large a penalty, and a larger penalty alone "
            "makes the free report sharper: compare the two before paying for it."
            if settings.sharper is not None
            else ""
        )
    )
    results.show(reports_picture(latest, guarantee=settings.epsilon), "reports")
    runs = len(draws.covered)
    st.markdown(f"How often the reports held, over {runs} simulated releases")
    results.table(
        coverage_table(draws.held, latest, nominal=1 - settings.failure), key="report-coverage"
    )
    st.button("Draw 20 more releases", on_click=_more, args=(runs,), key="report-more")
    count = len(latest.truth)
    place = controls.HERE.number(
        f"One {session.unit().noun}, by number",
        1,
        (1, count),
        key=f"report-person-{session.generation()}",
        kept="page",
        note=f"Numbered in the order of the {session.unit().nouns} with all values.",
    )
    rows = {"secret truth": latest.truth, **latest.by_name}
    results.table(
        {
            "what": list(rows),
            "epsilon": [float(values[place - 1]) for values in rows.values()],
            "may be published": ["no", *[f"to this {session.unit().noun}" for _ in latest.by_name]],
        },
        column_config={"epsilon": results.THREE_DIGITS},
        key="report-one",
    )


def _more(runs: int) -> None:
    session.set_public(_MORE, runs + _AT_ONCE)
