"""Why losses are not published, and what may be published instead. CONFIDENTIAL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.quantities import quantity_of
from dpcore.figures.individual.disclosure import recovery_picture, told_text
from dpcore.formatting import in_full, measured, significant
from dpcore.relations import NeighboringRelation
from dpcore.studies.attacks.disclosed_losses import Recovery, attack_count, attack_mean
from ui import controls, results, session
from ui.controls import Cell
from ui.individual import one_row, telling
from ui.individual.subject import StatisticSubject, Subject
from ui.study import Study
from ui.text import literal

_MEAN, _COUNT, _TOLD = "Attack on a mean", "Attack on a count", "What may be told"
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
        telling.show_reports(subject, study)
        return
    st.markdown(
        f"One {session.unit().noun}'s own loss, compared with **not being there**, is "
        "computed from "
        "everybody's records. Whoever is told one has an equation for the exact "
        "answer. Try it on your own column: the release is simulated, nothing is "
        "charged, and the attacker uses public numbers and the loss that was told, "
        "nothing else."
    )
    if subject.relation is NeighboringRelation.SUBSTITUTION:
        st.caption(
            "Above, “another record” is chosen; the attack compares with not being "
            "there all the same. Of a mean compared with another record the loss "
            "depends on the own value and the bounds alone, and gives no equation."
        )
    if study.dataset.cap is not None:
        st.info(one_row.needs_one_row("the attack on a told loss"))
        return
    target = _ask(subject, study)
    if target is not None and view == _MEAN:
        _mean(target, subject, study)
    elif target is not None:
        _count(target, subject)
    with st.expander("What is this?", key="publishing-what"):
        _details()


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
        f"Row of the {session.unit().noun} who is told",
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
    low, high = (f"{candidate:,.6g}" for candidate in found.candidates)
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
        "The loss is told with",
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
    cells = st.columns(3)
    cells[0].metric(
        "Loss that is told",
        f"ε {told_text(found)}",
        help=f"The {session.unit().noun}'s own loss from this one answer, with as many "
        "digits as are "
        "told.",
    )
    cells[1].metric(
        "Attacker finds",
        significant(found.recovered, 6),
        help="What follows for the exact number from the released one and the loss that is told.",
    )
    cells[2].metric(
        "Without noise",
        significant(found.truth, 6),
        help="Confidential: the exact number, which nobody outside should ever know.",
    )
    results.show(recovery_picture(found, what=what, unit=unit), "recovery")


def _details() -> None:
    st.markdown(
        f"**A mean of n {session.unit().nouns} with Laplace noise of scale b.** "
        f"Without {session.unit().noun} i the "
        "mean moves by |xᵢ − m|/(n − 1), so the loss is εᵢ = |xᵢ − m|/((n − 1) b): who "
        "is told εᵢ has m = xᵢ ± εᵢ b (n − 1). Compared with another *record* instead "
        "of a missing one, the most revealing record makes εᵢ depend on the own value "
        "and the bounds alone; that number may be told.\n\n**A count Q with Gaussian "
        "noise.** The loss at the released number o is |2(o − Q) + 1|/(2σ²) for "
        "somebody who is counted.\n\nAverages and pictures of everybody's losses are "
        "no safer: each loss depends on all records, so that an average of them does "
        "not move by one n-th when a record changes.\n\nSources: Y.-X. Wang, "
        "*Per-instance differential privacy*, 2019 (losses are for the curator's "
        "eyes); R. Redberg and Y.-X. Wang, *Privately publishable per-instance "
        "privacy*, 2021, example 4."
    )
