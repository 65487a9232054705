"""What shall be audited: public settings, and the trial that they make.

Carrying out an audit, and showing what it found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Releasable
from dpcore.figures import audits
from dpcore.formatting import capital, epsilon_text, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.auditing import trials
from dpcore.studies.auditing.lower_bound import PrivacyAudit, audit
from dpcore.studies.auditing.mistakes import CATALOG_OF_MISTAKES, NaiveRelease
from dpcore.studies.auditing.structure import checks
from dpcore.studies.auditing.trials import Trial, TrialDraws, batches, pieces
from dpcore.studies.teaching.laboratory import Setup
from ui import controls, plans, results, session, work
from ui.study import Study
from ui.text import literal

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


_SLOT = "audit"


def show(asked: AuditRequest, *, rows: str = "") -> None:
    """Draw, search, test, and say what came out. ``rows`` is CONFIDENTIAL."""
    key = f"{session.generation()} {asked.key} {rows}"
    with controls.valid():
        trial = session.remember(f"{_SLOT}-trial", key, asked.trial)
    draws = affordable(asked, trial)
    drawn = work.follow(
        _SLOT,
        key,
        pieces(trial, draws),
        lambda: batches(trial, draws),
        doing=f"Drawing {draws:,} answers in each of two worlds",
    )
    if drawn is None:
        return
    if draws < asked.draws:
        st.caption(f"Of an answer with {len(trial.labels):,} numbers {draws:,} are drawn.")
    done = session.remember(
        f"{_SLOT}-found",
        f"{key} {asked.confidence} {len(drawn)}",
        lambda: audit(trial, TrialDraws.together(drawn), confidence=asked.confidence),
    )
    told = f"**{literal(audits.verdict(done))}.** {_event_text(done)}"
    box = st.warning if done.refuted else st.info
    box(told, icon=(":material/gavel:" if done.refuted else ":material/search:"))
    if asked.mistake is not None:
        st.markdown(
            f"Released is {asked.mistake.released}. **What is wrong:** "
            f"{asked.mistake.wrong} **Done right:** {asked.mistake.right}"
        )
    _numbers(done)
    results.show(audits.roc_picture(done), "audit-roc", simulated=not asked.confidential)
    st.markdown(literal(audits.seen(done)))
    results.table(audits.events_table(done), key="audit-events")


def _event_text(done: PrivacyAudit) -> str:
    # A name of the table in it may hold marks of its own.
    event, limit = audits.telling(done)
    return (f"The most telling event: **{literal(event)}**. " if event else "") + literal(limit)


def _numbers(done: PrivacyAudit) -> None:
    row = st.container(horizontal=True, gap="large")
    claim = done.claim
    row.metric(
        "Promised ε",
        epsilon_text(claim.epsilon),
        width="content",
        help=f"What no event may exceed{_at(claim.delta)}.",
    )
    row.metric(
        "Found ε, at least",
        audits.lower_text(done.lower),
        width="content",
        help="A lower bound from counting alone, corrected for having searched.",
    )
    row.metric(
        "Noticed from ε",
        significant(done.detectable, up=True),
        width="content",
        help="What these draws would have refuted nine times out of ten.",
    )
    if done.trial.exact is not None:
        exact = done.trial.exact
        row.metric(
            "By formula",
            "∞" if math.isinf(exact) else epsilon_text(exact),
            width="content",
            help="What this pair of worlds really gives away"
            f"{_at(claim.delta)}, worked out without draws.",
        )


def _at(delta: float) -> str:
    return f" at δ {significant(delta, up=True)}" if delta else ""


def check(study: Study) -> None:
    """Check the questions on offer without draws. CONFIDENTIAL."""
    known = questions(study)
    key = "\n".join(
        [str(session.generation())]
        + [request.analysis(study.fingerprint) for request in known.values()]
    )
    done = work.follow(
        "audit-checks",
        key,
        4 * len(known),
        lambda: checks(list(known.values()), study.in_memory),
        doing="Checking the questions",
    )
    if done is None:
        return
    failed = sum(one.passed is False for one in done)
    tried = sum(one.passed is not None for one in done)
    outcome = "none failed" if failed == 0 else f"{failed} failed"
    st.markdown(f"**Of {tried} checks, {outcome}.**")
    lines = []
    for question in dict.fromkeys(one.question for one in done):
        lines.append(f"{literal(capital(question))}:\n")
        lines += [
            f"- {_SIGNS[one.passed]} **{one.name}.** {literal(one.how)}"
            for one in done
            if one.question == question
        ]
        lines.append("")
    st.markdown("\n".join(lines))


_SIGNS = {
    True: ":material/check:",
    False: ":material/close: fails:",
    None: ":material/visibility_off: not tried:",
}


def definitions() -> None:
    """Define what the page shows, with formulas and sources."""
    st.markdown(
        "**Two worlds.** Neighboring tables: a person is there or not, or has another "
        "record. The auditor knows all else, as the attacker of the definition "
        "does.\n\n"
        "**Promise.** (ε, δ)-differential privacy: an event that has probability p in "
        "one world and q in the other has p ≤ e^ε · q + δ, in both directions.\n\n"
        "**Search.** On the first half of the draws: thresholds from both sides, "
        "numbers that come again and again, and sets of intervals in the order of "
        "their likelihood ratio, which is the form of the best test (Neyman and "
        "Pearson 1933). Of an answer with several numbers: each of the most telling "
        "ones, differences, projections on what tells the worlds apart, and the "
        "likelihood ratio, exact where the density is known.\n\n"
        "**Test.** On the second half, which knows nothing of the search: one event "
        "for each direction, counted. With Clopper-Pearson limits (1934), a lower one "
        "for p and an upper one for q, **ε is at least log((p - δ) / q)**. Each of the "
        "four limits fails with a quarter of the error that the confidence leaves, so "
        "that the bound holds however many events were searched."
    )
    st.markdown(
        "**Curve.** How often answers are rightly and wrongly taken for those of the "
        "first world, as the threshold moves. Its band holds for all points at once "
        "(Dvoretzky, Kiefer and Wolfowitz 1956; Massart 1990); the bars at the rings "
        "are the limits that count. A promise is refuted where a ring with its bars "
        "lies beyond the dashed lines.\n\n"
        "**How many draws** is decided before: whoever looks and goes on until a "
        "promise is refuted refutes too often.\n\n"
        "**Drawn by what.** Known mistakes are simulated, with a seed. Mechanisms and "
        "questions are drawn by the sampler of real releases, afresh each time, "
        "without a seed. Nothing is charged and nothing is written to the ledger: "
        "nobody outside this page sees a draw.\n\n"
        "Sources: Ding, Wang, Wang, Zhang and Kifer, *Detecting violations of "
        "differential privacy* (2018); Jagielski, Ullman and Oprea, *Auditing "
        "differentially private machine learning* (2020)."
    )
