"""What a person may be told of the own loss, beside the secret truth. CONFIDENTIAL."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.figures.individual.disclosure import coverage_table, reports_picture
from dpcore.formatting import epsilon_text, significant
from dpcore.individual.publishable import own_worst_shift
from dpcore.individual.release_losses import ReleaseLosses
from dpcore.models.loss_functions import ModelKind
from dpcore.privacy.events import GaussianEvent, LaplaceEvent
from dpcore.studies.individual.reports import (
    Reports,
    ReportSettings,
    ReportStudy,
    Sharper,
    simulated_table,
    study,
)
from ui import controls, results, session
from ui.individual.subject import ModelSubject, StatisticSubject, Subject
from ui.study import Study

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
        f"One {session.unit().noun} may be told what depends on the **own record, "
        "public numbers and "
        "released answers** alone, because it says nothing about anybody else."
    )
    if isinstance(subject, StatisticSubject):
        _own_worst(subject.request)
    st.markdown("**Reports for a logistic regression**")
    st.markdown(
        "After objective perturbation the report below bounds "
        f"{session.unit().indefinite}'s own loss from "
        "the very numbers that were released, and is free. It is held against the "
        "secret truth. Releases are simulated here: nothing is charged."
    )
    settings = _ask_reports()
    source = _source(subject)
    draws = _draws(subject, study_in_use, settings, source)
    _results(draws, settings)
    with st.expander("What is this?", key="telling-what"):
        _explain_reports()


def _own_worst(request: Request) -> None:
    """Ask for a value, and say what its owner may be told of this release."""
    query = request.query
    bounds = query.column.bounds
    if not isinstance(query, Query) or bounds is None or query.unit.several:
        return
    value = controls.HERE.number(
        f"The most that {session.unit().indefinite} of this value can lose, whoever else is there",
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
            "For this question there is nothing sharper to tell than the guarantee: ε "
            f"{epsilon_text(guarantee)}."
        )
        return
    losses = ReleaseLosses(event=event, own=np.array([shift / plan.noise]))
    (told,) = np.atleast_1d(losses.epsilon(request.used_delta))
    st.markdown(
        f"They may be told ε **{epsilon_text(min(float(told), guarantee))}**; the "
        f"guarantee for everybody is {epsilon_text(guarantee)}."
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
            "What stands here is about a made-up table of 2,000 people, and not about "
            "yours. Choose a regression model with a yes/no target above to see it on "
            "your own."
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
        "These releases have settings of their own, whatever is chosen above: "
        f"everything together costs ε {epsilon_text(epsilon)} at δ "
        f"{significant(delta)}; the fit has a penalty λ of "
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
        coverage_table(draws.held, latest, promised=1 - settings.failure), key="report-coverage"
    )
    st.button("Draw 20 more releases", on_click=_more, args=(runs,), key="report-more")
    count = len(latest.truth)
    place = controls.HERE.number(
        f"One {session.unit().noun} of this table, by number",
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
            "may be told": ["no", *[f"to this {session.unit().noun}" for _ in latest.by_name]],
        },
        column_config={"epsilon": results.THREE_DIGITS},
        key="report-one",
    )


def _more(runs: int) -> None:
    session.set_public(_MORE, runs + _AT_ONCE)


def _explain_reports() -> None:
    st.markdown(
        "A released fit minimizes the objective plus bᵀθ with normal b, which is drawn "
        f"once. The **realized loss** of {session.unit().indefinite} is how much this "
        "very fit changes the "
        "odds that they are in the table. Its exact value reads everybody's record. "
        "The **free report** bounds it by log(1 + f″|x|²/λ) + (f′|x|)²/(2σ²) + |f′||x| "
        f"z/σ, with the slope f′ and curvature f″ of the {session.unit().noun}'s own "
        "loss at the "
        "released fit; it fails with the chance you set, for "
        f"{session.unit().indefinite} fixed before. "
        "**As published** it has −log(1 − f″|x|²/λ) in the first place, which is "
        "larger. With a **noisy Hessian** the first term becomes the leverage that is "
        "known from a second release, at its own cost.\n\nA report is for its own "
        f"{session.unit().noun}. All reports together are a table of everybody's "
        "records, and nothing "
        "here may be published.\n\nSource: R. Redberg and Y.-X. Wang, *Privately "
        "publishable per-instance privacy*, 2021, algorithm 2 and theorem 8; D. Kifer, "
        "A. Smith and A. Thakurta, 2012, for the guarantee of the fit."
    )
