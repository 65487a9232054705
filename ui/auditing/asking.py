"""What shall be audited: public settings, and the trial that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.mechanisms.catalog import CATALOG
from dpcore.releases.releasable import Releasable
from dpcore.studies.auditing import trials
from dpcore.studies.auditing.mistakes import CATALOG_OF_MISTAKES, NaiveRelease
from dpcore.studies.auditing.trials import Trial
from dpcore.studies.teaching.laboratory import Setup
from ui import controls, plans, session
from ui.study import Study

WHAT: Final = "audit-what"
MISTAKE, MECHANISM, QUESTION = ("a known mistake", "a mechanism", "a question about the table")
_NAIVE, _REPAIRED = "as it was done", "done right"
_WORST, _TYPED, _PERSON = ("the worst pair", "two values that I type", "a person of this table")
_BROUGHT = "_audited-question"
_DRAWS: Final = [2000, 10_000, 50_000, 200_000]
_CONFIDENCES: Final = [0.9, 0.95, 0.99, 0.999]
_MOST_NUMBERS: Final = 4_000_000
"""So many numbers of one world are kept at most: 32 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What shall be audited.

    Attributes:
        key: All settings that the draws depend on.
        draws: How many answers of each world are drawn.
        confidence: How sure a refutation shall be.
        trial: Makes the trial. CONFIDENTIAL where ``confidential``.
        confidential: Whether it is made of the table in use.
        mistake: The known mistake, where it is one.
        request: The question, where it is one.

    """

    key: str
    draws: int
    confidence: float
    trial: Callable[[], Trial] = field(repr=False)
    confidential: bool = False
    mistake: NaiveRelease | None = None
    request: Releasable | None = None


def carry(request: Releasable) -> None:
    """Note the question on screen, so that the page Audit can offer it."""
    session.set_public(_brought(), request)


def offer(request: Releasable) -> None:
    """Lead to an audit of the question on screen. It costs nothing."""
    carry(request)
    st.page_link(
        "pages/audit.py",
        label="Audit this before you release it",
        icon=":material/policy:",
        query_params={WHAT: QUESTION},
        help="Draws it many times in two worlds, by the sampler of a release, and "
        "counts what tells them apart. A simulation: nothing is charged.",
    )


def ask() -> AuditRequest:
    """Show the controls; the first view is a promise that is refuted."""
    what = controls.HERE.radio(
        "What is audited",
        [MISTAKE, MECHANISM, QUESTION],
        key=WHAT,
        note="A known mistake shows what a refutation looks like. A mechanism or a "
        "question of yours is drawn by the sampler of real releases.",
    )
    if what == MISTAKE:
        return _mistake()
    if what == MECHANISM:
        return _mechanism()
    return _question(session.require_study())


def _mistake() -> AuditRequest:
    first, second, third = controls.row([2.2, 1.4, 1])
    key = first.selectbox(
        "Mistake",
        list(CATALOG_OF_MISTAKES),
        format_func=lambda name: CATALOG_OF_MISTAKES[name].label,
        key="audit-mistake",
    )
    how = second.selectbox(
        "Done how",
        [_NAIVE, _REPAIRED],
        key="audit-how",
        note="Done right, the same promise is kept, and should not be refuted.",
    )
    seed = third.seed(key="audit-seed")
    draws, confidence = _effort(50_000)
    mistake = CATALOG_OF_MISTAKES[key]
    return AuditRequest(
        key=f"{key} {how} {seed} {draws}",
        draws=draws,
        confidence=confidence,
        trial=lambda: mistake.trial(rng=np.random.default_rng(seed), repaired=how == _REPAIRED),
        mistake=mistake,
    )


def _mechanism() -> AuditRequest:
    first, second, third = controls.row([2, 1, 1.4])
    key = first.selectbox(
        "Mechanism",
        list(CATALOG),
        format_func=lambda name: CATALOG[name].label,
        key="audit-mechanism",
    )
    epsilon = second.slider(
        "Promised ε", 1.0, (0.1, 5.0, 0.1), key="audit-epsilon", note=controls.EPSILON_HELP
    )
    pair = third.selectbox(
        "Pair",
        [_WORST, _TYPED],
        key="audit-pair",
        note="The two values that are hardest to keep apart, or two of your own.",
    )
    first, second = controls.row(2)
    shift = first.slider(
        "One person moves the value by",
        0.2,
        (0.02, 1.0, 0.02),
        key="audit-shift",
        note="As a share of the range between the bounds, 0 and 1.",
    )
    place = 0.0
    if pair == _TYPED:
        place = second.slider("The value", 0.5, (0.0, 1.0, 0.01), key="audit-place")
    draws, confidence = _effort(10_000)
    setup = Setup(key=key, epsilon=epsilon, place=place, shift=shift)
    return AuditRequest(
        key=f"{setup} {pair} {draws}",
        draws=draws,
        confidence=confidence,
        trial=lambda: trials.of_mechanism(setup, rng=np.random.default_rng(), worst=pair == _WORST),
    )


def _question(study: Study) -> AuditRequest:
    known = questions(study)
    if not known:
        st.info(
            "There is no question yet. Ask one on “Release”, or plan some on “Plan”, "
            "then audit it here."
        )
        st.page_link("pages/release.py", label="Go to Release")
        session.end_page()
    names = list(known)
    first, second = controls.row([2, 1.4])
    place = first.selectbox(
        "Question",
        range(len(names)),
        format_func=names.__getitem__,
        key=f"audit-question-{session.generation()}",
        kept="session",
    )
    pair = second.selectbox(
        "Pair of tables",
        [_WORST, _TYPED, _PERSON],
        key=f"audit-tables-{session.generation()}",
        kept="session",
        note="Any two tables that the promise is about, or the table in use with and "
        "without one of its people. That is for the curator alone.",
    )
    request = known[names[place]]
    values = _values() if pair == _TYPED else (0.0, 0.0)
    draws, confidence = _effort(10_000)
    about = f"{request.analysis(study.fingerprint)} {pair} {draws}"
    if pair == _PERSON:
        return AuditRequest(
            key=about,
            draws=draws,
            confidence=confidence,
            trial=lambda: _of_row(request, study),
            confidential=True,
            request=request,
        )
    return AuditRequest(
        key=f"{about} {values}",
        draws=draws,
        confidence=confidence,
        trial=lambda: trials.worst(request) if pair == _WORST else trials.typed(request, *values),
        request=request,
    )


def row_key() -> str:
    """Return which rows of the table are asked about. CONFIDENTIAL."""
    return f"{session.public(_row('person'))} {session.public(_row('other'))}"


def ask_row(study: Study) -> None:
    """Show the controls that choose a person, inside the curator's area."""
    first, second = controls.row(2)
    most = study.dataset.people
    first.number("Row of the person", 1, (1, most), key=_row("person"), kept="page")
    if study.public_number:
        second.number(
            "Row that takes its place",
            min(2, most),
            (1, most),
            key=_row("other"),
            kept="page",
            note="The number of people is public, so that nobody leaves: in the other "
            "world this row is there twice.",
        )


def _row(which: str) -> str:
    return f"audit-{which}-{session.generation()}"


def _of_row(request: Releasable, study: Study) -> Trial:
    person, other = (
        cast("int", session.public(_row(which)) or 1) - 1 for which in ("person", "other")
    )
    return trials.of_person(request, study.in_memory, person, other)


def _brought() -> str:
    return f"{_BROUGHT}-{session.generation()}"


def questions(study: Study) -> dict[str, Releasable]:
    """Return the questions on offer by name: that of the Release page comes first."""
    found: dict[str, Releasable] = {}
    brought = cast("Releasable | None", session.public(_brought()))
    columns = {column.name for column in study.dataset.columns}
    if brought is not None and {c.name for c in brought.asked.columns} <= columns:
        found[f"{brought.title} (on Release)"] = brought
    for item in plans.plan(study).items:
        found[f"{item.name} (planned)"] = item.request
    return found


def _values() -> tuple[float, float]:
    first, second = controls.row(2)
    return (
        first.number(
            "Answer without noise, in one world",
            0.0,
            key=f"audit-first-{session.generation()}",
            kept="session",
            note="What the question comes to in a table that you think of.",
        ),
        second.number(
            "In the other",
            0.0,
            key=f"audit-second-{session.generation()}",
            kept="session",
            note="The same with one person changed: no farther than one can move it.",
        ),
    )


def _effort(usual: int) -> tuple[int, float]:
    """Ask how much shall be drawn, and how sure a refutation shall be."""
    first, second = controls.row(2)
    draws = first.place.select_slider(
        "Draws of each world",
        _DRAWS,
        value=usual,
        format_func=lambda number: f"{number:,}",
        key=f"audit-draws-{usual}",
        bind="query-params",
        help="Half of them are searched, the other half are tested.",
    )
    confidence = second.place.select_slider(
        "Confidence",
        _CONFIDENCES,
        value=0.99,
        format_func=lambda share: f"{100 * share:g} %",
        key="audit-confidence",
        bind="query-params",
        help="How seldom a promise that is kept may be refuted by chance: at 99 %, at "
        "most once in a hundred audits.",
    )
    return draws, confidence


def affordable(asked: AuditRequest, trial: Trial) -> int:
    """Return how many draws of each world are kept of so many numbers each."""
    return max(200, min(asked.draws, _MOST_NUMBERS // len(trial.labels)))
