"""Audits: a lower bound on ε from draws of two neighboring datasets.

The same page body audits known mistakes and mechanisms, and the question on screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Releasable
from dpcore.figures import audits
from dpcore.formatting import epsilon_text, in_full, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.auditing import trials
from dpcore.studies.auditing.lower_bound import PrivacyAudit, audit
from dpcore.studies.auditing.mistakes import CATALOG_OF_MISTAKES, NaiveRelease
from dpcore.studies.auditing.structure import checks
from dpcore.studies.auditing.trials import Trial, TrialDraws, batches, pieces
from dpcore.studies.teaching.laboratory import Setup
from ui import confidential, controls, layout, results, session, work
from ui.form import Asked, ChoiceSetting, NumberSetting, Seed, Setting, SettingsForm, Slide, Stops
from ui.study import Study
from ui.text import literal

WHAT: Final = "audit-what"
MISTAKE, MECHANISM = "a known mistake", "a mechanism"
_QUESTION = "a question about the table"
_NAIVE, _REPAIRED = "original", "repaired"
_OLDER = {"as it was done": _NAIVE, "done right": _REPAIRED}
_WORST, _TYPED, _PERSON = "the worst pair", "two values", "a person of this table"
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

    """

    key: str
    draws: int
    confidence: float
    trial: Callable[[], Trial] = field(repr=False)
    confidential: bool = False
    mistake: NaiveRelease | None = None


def _effort(usual: int) -> dict[str, Setting]:
    """Return the settings of how much is drawn, and how sure a refutation shall be."""
    return {
        "draws": Stops(
            label="Draws per dataset",
            options=_DRAWS,
            value=usual,
            named=lambda number: f"{number:,}",
            key=f"audit-draws-{usual}",
            note="One half finds the most telling event, the other half tests it.",
        ),
        "confidence": Stops(
            label="Confidence",
            options=_CONFIDENCES,
            value=0.99,
            named=lambda share: f"{in_full(100 * share)}%",
            key="audit-confidence",
            note="At 99%, at most one in a hundred audits refutes a true guarantee by chance.",
        ),
    }


_OF_MISTAKES: Final = SettingsForm(
    row={
        "key": ChoiceSetting(
            label="Mistake",
            options=tuple(CATALOG_OF_MISTAKES),
            named=lambda name: CATALOG_OF_MISTAKES[name].label,
            key="audit-mistake",
        ),
        "how": ChoiceSetting(
            label="Version",
            options=(_NAIVE, _REPAIRED),
            key="audit-how",
            note="The repaired version keeps the same guarantee and should not be refuted.",
        ),
        "seed": Seed(key="audit-seed"),
        **_effort(50_000),
    },
    widths=(2.2, 1.4, 1.0),
)
_PLACE: Final = Slide(label="The value", value=0.5, within=(0.0, 1.0, 0.01), key="audit-place")
_OF_MECHANISMS: Final = SettingsForm(
    row={
        "key": ChoiceSetting(
            label="Mechanism",
            options=tuple(CATALOG),
            named=lambda name: CATALOG[name].label,
            key="audit-mechanism",
        ),
        "epsilon": Slide(
            label="Claimed ε",
            value=1.0,
            within=(0.1, 5.0, 0.1),
            key="audit-epsilon",
            note=controls.EPSILON_HELP,
        ),
        "pair": ChoiceSetting(
            label="Pair",
            options=(_WORST, _TYPED),
            key="audit-pair",
            note="The two values that are hardest to distinguish, or two that you choose.",
        ),
        "shift": Slide(
            label="Sensitivity",
            value=0.2,
            within=(0.02, 1.0, 0.02),
            key="audit-shift",
            note="How far one person can move the value, as a share of its range from 0 to 1.",
        ),
        **_effort(10_000),
        "place": lambda asked: None if asked["pair"] == _WORST else _PLACE,
    },
    widths=(2.0, 1.0, 1.4),
)


def ask() -> AuditRequest:
    """Show the controls; the first view is a guarantee that is refuted."""
    if st.query_params.get(WHAT) == _QUESTION:
        session.go("pages/mechanism_test.py")
    what = controls.HERE.radio("What is audited", [MISTAKE, MECHANISM], key=WHAT)
    if what == MECHANISM:
        return _mechanism(**_OF_MECHANISMS.ask())
    controls.read_older("audit-how", _OLDER)
    return _mistake(**_OF_MISTAKES.ask())


def _mistake(*, key: str, how: str, seed: int, draws: int, confidence: float) -> AuditRequest:
    mistake = CATALOG_OF_MISTAKES[key]
    return AuditRequest(
        key=f"{key} {how} {seed} {draws}",
        draws=draws,
        confidence=confidence,
        trial=lambda: mistake.trial(rng=np.random.default_rng(seed), repaired=how == _REPAIRED),
        mistake=mistake,
    )


def _mechanism(
    *,
    pair: str,
    draws: int,
    confidence: float,
    place: float = 0.0,
    **rest: Any,  # noqa: ANN401 - fields of the setup
) -> AuditRequest:
    setup = Setup(place=place, **rest)
    return AuditRequest(
        key=f"{setup} {pair} {draws}",
        draws=draws,
        confidence=confidence,
        trial=lambda: trials.of_mechanism(setup, rng=np.random.default_rng(), worst=pair == _WORST),
    )


def ask_pair(request: Releasable, study: Study) -> AuditRequest:
    """Show which two tables the question on screen is tested on."""

    def typed(which: str, note: str) -> Asked:
        setting = NumberSetting(
            label=f"Value in the {which} dataset",
            value=0.0,
            within=(None, None),
            key=f"audit-{which}-{session.generation()}",
            kept="session",
            note=note,
        )
        return lambda asked: setting if asked["pair"] == _TYPED else None

    form = SettingsForm(
        row={
            "pair": ChoiceSetting(
                label="Neighboring datasets",
                options=(_WORST, _TYPED, _PERSON),
                key=f"audit-tables-{session.generation()}",
                kept="session",
                note="Any two tables that the guarantee covers, or the table in use with and "
                "without one of its people. Only the curator sees the latter.",
            ),
            **_effort(10_000),
            "first": typed(
                "first", "The exact value of the statistic in a dataset that you imagine."
            ),
            "second": typed(
                "second", "The same with one person changed, at most the sensitivity away."
            ),
        },
        widths=(1.0, 1.0, 1.0),
    )
    return _pair(request, study, **form.ask())


def _pair(
    request: Releasable,
    study: Study,
    *,
    pair: str,
    draws: int,
    confidence: float,
    first: float = 0.0,
    second: float = 0.0,
) -> AuditRequest:
    confidential = pair == _PERSON

    def trial() -> Trial:
        if confidential:
            return _of_row(request, study)
        return trials.worst(request) if pair == _WORST else trials.typed(request, first, second)

    return AuditRequest(
        key=f"{request.analysis(study.fingerprint)} {pair} {(first, second)} {draws}",
        draws=draws,
        confidence=confidence,
        trial=trial,
        confidential=confidential,
    )


_ROWS: Final = ("person", "other")


def _row(which: str) -> str:
    return f"audit-{which}-{session.generation()}"


def _of_row(request: Releasable, study: Study) -> Trial:
    person, other = (cast("int", session.public(_row(which)) or 1) - 1 for which in _ROWS)
    return trials.of_person(request, study.in_memory, person, other)


def affordable(asked: AuditRequest, trial: Trial) -> int:
    """Return how many draws of each world are kept of so many numbers each."""
    return max(200, min(asked.draws, _MOST_NUMBERS // len(trial.labels)))


_SLOT = "audit"


def body(asked: AuditRequest) -> None:
    """Show an audit with its methods; that of a person stands in the curator's area."""
    if asked.confidential:
        confidential.area(
            "audit", "the audit of a person of this table", partial(_show_person, asked)
        )
    else:
        _show(asked)
    layout.methods(METHODS)


def _show_person(asked: AuditRequest) -> None:
    """Ask for a person, and audit the release around that person's row. CONFIDENTIAL."""
    study = session.require_study()
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
            note="The number of people is public, so nobody leaves: in the other "
            "dataset this row occurs twice.",
        )
    _show(asked, rows=" ".join(f"{session.public(_row(one))}" for one in _ROWS))


def _show(asked: AuditRequest, *, rows: str = "") -> None:
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
        doing=f"Drawing {draws:,} results from each dataset",
    )
    if drawn is None:
        return
    if draws < asked.draws:
        st.caption(f"Results with {len(trial.labels):,} numbers: {draws:,} draws.")
    done = session.remember(
        f"{_SLOT}-found",
        f"{key} {asked.confidence} {len(drawn)}",
        lambda: audit(trial, TrialDraws.together(drawn), confidence=asked.confidence),
    )
    # A name of the table in it may hold marks of its own.
    event, limit = map(literal, audits.telling(done))
    found = f"The most telling event: **{event}**. " if event else ""
    told = f"**{literal(audits.verdict(done))}.** {found}{limit}"
    box = st.warning if done.refuted else st.info
    box(told, icon=(":material/gavel:" if done.refuted else ":material/search:"))
    _numbers(done)
    results.show(audits.roc_picture(done), "audit-roc", simulated=not asked.confidential)
    if asked.mistake is not None:
        st.markdown(f"**Mistake:** {asked.mistake.wrong} **Repair:** {asked.mistake.right}")
    with st.expander("Events", key="audit-details"):
        st.markdown(literal(audits.seen(done)))
        results.table(audits.events_table(done), key="audit-events")


def _numbers(done: PrivacyAudit) -> None:
    claim, exact = done.claim, done.trial.exact
    numbers = {
        "Claimed ε": (epsilon_text(claim.epsilon), f"No event may exceed it{_at(claim.delta)}."),
        "Lower bound on ε": (
            audits.lower_text(done.lower),
            "From counting alone, corrected for the search.",
        ),
        "Detectable ε": (
            significant(done.detectable, up=True),
            "The smallest ε that so many draws detect with probability 90%. Less goes unseen.",
        ),
    }
    if exact is not None:
        numbers["Exact ε"] = (
            "∞" if math.isinf(exact) else epsilon_text(exact),
            f"The exact privacy loss of this pair{_at(claim.delta)}, by formula.",
        )
    results.metrics(numbers, narrow=True)


def _at(delta: float) -> str:
    return f" at δ = {significant(delta, up=True)}" if delta else ""


def check(request: Releasable, study: Study) -> None:
    """Check the question on screen without draws. CONFIDENTIAL."""
    key = f"{session.generation()} {request.analysis(study.fingerprint)}"
    done = work.follow(
        "audit-checks",
        key,
        4,
        lambda: checks([request], study.in_memory),
        doing="Checking the question",
    )
    if done is None:
        return
    failed = sum(one.passed is False for one in done)
    tried = sum(one.passed is not None for one in done)
    st.markdown(f"**{tried} checks, {failed or 'none'} failed**")
    st.markdown(
        "\n".join(f"- {_SIGNS[one.passed]} **{one.name}.** {literal(one.how)}" for one in done)
    )


_SIGNS = {
    True: ":material/check:",
    False: ":material/close: (fails)",
    None: ":material/visibility_off: (not tried)",
}


METHODS: Final = (
    "**Neighboring datasets.** a person is there or not, or has another "
    "record. The auditor knows all else, as the attacker of the definition "
    "does.\n\n**Claim.** (ε, δ)-differential privacy. The probabilities p and q of any event "
    "in the two datasets satisfy p ≤ e^ε · q + δ. The same holds with p and q "
    "swapped.\n\n**Search.** On the first "
    "half of the draws: thresholds from both sides, repeated numbers, and sets of "
    "intervals in the order of their likelihood ratio. The best test has this form "
    "(Neyman and Pearson 1933). Of an answer with several numbers: the most informative "
    "ones, differences, projections that separate the datasets, and the likelihood ratio. "
    "The ratio is exact if the density is known.\n\n**Test.** On the second half, which "
    "knows nothing of the search: one event for each direction, counted. With "
    "Clopper-Pearson limits (1934), a lower one for p and an upper one for q, **ε is at "
    "least log((p - δ) / q)**. Each of the four limits fails with a quarter of the "
    "allowed error. So the bound holds for any number of searched events.\n\n"
    "**ROC curve.** True-positive against false-positive rate, as the threshold "
    "moves. Its band holds for all points at once (Dvoretzky, "
    "Kiefer and Wolfowitz 1956; Massart 1990); the bars at the rings are the limits that "
    "count. A claim is refuted where a ring with its bars lies beyond the dashed "
    "lines.\n\n**The number of draws** is fixed before. Drawing until a claim is "
    "refuted would refute too often.\n\n**Drawn by what.** Known mistakes are simulated, "
    "with a seed. Mechanisms and questions are drawn by the sampler of real releases, "
    "afresh each time, without a seed. Nothing is charged and nothing is written to the "
    "ledger: nobody outside this page sees a draw.\n\nSources: Ding, Wang, Wang, Zhang "
    "and Kifer, *Detecting violations of differential privacy* (2018); Jagielski, Ullman "
    "and Oprea, *Auditing differentially private machine learning* (2020)."
)
