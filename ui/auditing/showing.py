"""Carrying out an audit, and showing what it found."""

from __future__ import annotations

import math

import streamlit as st

from dpcore.figures import audits
from dpcore.studies.auditing.lower_bound import PrivacyAudit, audit
from dpcore.studies.auditing.structure import checks
from dpcore.studies.auditing.trials import TrialDraws, batches, pieces
from dpcore.wording import capital, epsilon_text, significant
from ui import controls, results, session, work
from ui.auditing import asking
from ui.auditing.asking import AuditRequest
from ui.study import Study
from ui.text import literal

_SLOT = "audit"


def show(asked: AuditRequest, *, rows: str = "") -> None:
    """Draw, search, test, and say what came out. ``rows`` is CONFIDENTIAL."""
    key = f"{session.generation()} {asked.key} {rows}"
    with controls.valid():
        trial = session.remember(f"{_SLOT}-trial", key, asked.trial)
    draws = asking.affordable(asked, trial)
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
    _say(asked, done)
    _numbers(done)
    results.show(audits.roc_picture(done), "audit-roc", simulated=not asked.confidential)
    st.markdown(literal(audits.seen(done)))
    results.table(audits.events_table(done), key="audit-events")


def _say(asked: AuditRequest, done: PrivacyAudit) -> None:
    """Say the verdict, the event, and what is wrong where that is known."""
    told = f"**{literal(audits.verdict(done))}.** {_telling(done)}"
    box = st.warning if done.refuted else st.info
    icon = ":material/gavel:" if done.refuted else ":material/search:"
    box(told, icon=icon)
    if asked.mistake is not None:
        st.markdown(
            f"Released is {asked.mistake.released}. **What is wrong:** "
            f"{asked.mistake.wrong} **Done right:** {asked.mistake.right}"
        )


def _telling(done: PrivacyAudit) -> str:
    # A name of the table in it may hold marks of its own.
    event, limit = audits.telling(done)
    named = f"The most telling event: **{literal(event)}**. " if event else ""
    return named + literal(limit)


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
    known = asking.questions(study)
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
