"""What else can be read from losses from a model, each folded away. CONFIDENTIAL."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpcore.figures.individual.guarantees import frontier_picture
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.individual.generalization import sampled_variation
from dpcore.individual.model_losses import grouped, household_losses
from dpcore.studies.individual.frontier import Frontier, frontier, varied
from dpcore.studies.individual.leverage_map import Causes
from dpcore.studies.individual.loss_comparisons import BoundCheck, gaussian_checks, posterior_checks
from ui import results, session
from ui.individual import everybody
from ui.individual.subject import ModelSubject
from ui.study import Study
from ui.text import literal

_MOST = 10
_TIMES = ("1/100", "1/10", "1/3", "1", "3", "10", "100")
_FACTORS = (0.01, 0.1, 1 / 3, 1.0, 3.0, 10.0, 100.0)
_SHARES = (1, 3, 10, 30, 100)
_SEED = 1


def households(subject: ModelSubject, study: Study) -> None:
    """Show what groups of rows lose that leave together."""
    law, fit, codes = subject.request.law, subject.fit, subject.codes
    if not grouped(law, fit):
        st.info(
            "The joint loss of several rows is known for linear models with noise of a "
            "public shape on the coefficients, or with posterior samples. For other releases "
            "the losses of the rows, added up, are a bound only where every one is computed "
            "without those before it."
        )
        return
    if codes is None:
        st.info(
            f"Compare with the table without the {session.unit().noun}, and choose "
            "above which column "
            "says who belongs together."
        )
        return
    found = session.while_shown(
        "households",
        subject.identity(study),
        lambda: household_losses(law, fit, codes, delta=subject.request.delta),
    )
    place = int(np.argmax(found.epsilon))
    several = int(np.count_nonzero(found.rows > 1))
    st.markdown(
        literal(
            f"{len(found.rows):,} groups, {several:,} with several rows. The most "
            f"exposed one has {found.rows[place]:,} rows and loses "
            f"{epsilon_text(float(found.epsilon[place]))}; its rows, each on its own, "
            f"add up to {epsilon_text(float(found.added[place]))}. Together more than "
            f"their sum lose {percent(found.above_sum)} of the groups with several "
            "rows: their rows pull the same way."
        )
    )
    order = np.argsort(-found.epsilon, kind="stable")[:_MOST]
    results.table(
        {
            "rows": found.rows[order],
            "loss together": found.epsilon[order],
            "losses of the rows, added": found.added[order],
        },
        key="households",
    )


def overfitting(subject: ModelSubject, analysis: str, why: Causes) -> None:
    """Show what losses say about overfitting, where need be from some people."""
    exposure, law = subject.exposure, subject.request.law
    if why.variation is not None:
        everybody.overfitting(exposure, subject.request.delta, why.variation)
        return
    with st.spinner(f"Comparing the two laws of some {session.unit().nouns} …"):
        found = session.while_shown(
            "model-variation",
            analysis,
            lambda: sampled_variation(
                law,
                subject.fit,
                epsilon=exposure.epsilon,
                delta=subject.request.delta,
                rng=np.random.default_rng(1),
            ),
        )
    everybody.overfitting(
        exposure, subject.request.delta, None if found is None else found.variation
    )
    if found is not None and found.sampled:
        st.caption(
            f"The first number is from {session.unit().number(len(found.variation))} "
            "drawn at random "
            f"out of {found.people:,}."
        )
    if found is not None and not found.exact:
        st.caption(
            "Of this release only upper bounds on losses are known, and so the first "
            "number is at most that."
        )


def bounds(subject: ModelSubject, analysis: str, why: Causes) -> None:
    """Show Lemma 4 or Theorem 14 beside the exact losses."""
    law = subject.request.law
    if not law.public and why.loss_at is None:
        st.info("No bound is published for this kind of release.")
        return
    scale = 1 / law.noise

    def compute() -> tuple[BoundCheck, ...]:
        if law.public:
            return gaussian_checks(scale * subject.exposure.influence.move, subject.request.delta)
        return posterior_checks(why.leverage, scale * why.residual, subject.request.delta)

    everybody.bounds(session.remember("bound-checks", analysis, compute))


def privacy_against_accuracy(subject: ModelSubject, study: Study) -> None:
    """Show error over loss, for another penalty and fewer people if asked."""
    request, fit = subject.request, subject.fit
    if request.law.precision is None:
        st.info(
            "The frontier is not drawn for an adaptive sample, whose precision depends "
            "on what is released first. Choose another one under “Released by”."
        )
        return
    left, right = st.columns(2)
    factor = left.select_slider(
        "Penalty λ, times the one above",
        _TIMES,
        value="1",
        key="frontier-penalty",
        bind="query-params",
        help="A larger penalty moves everybody's loss down and the error up.",
    )
    share = right.select_slider(
        "People, % of those in the table",
        _SHARES,
        value=100,
        key="frontier-people",
        bind="query-params",
        help=f"A random part of the table: with fewer {session.unit().nouns} each counts for more.",
    )
    strength = fit.penalty.strength * _FACTORS[_TIMES.index(str(factor))]
    count = max(1, round(fit.people * int(share) / 100))

    def compute() -> Frontier:
        changed = varied(
            request, fit, strength=strength, people=count, rng=np.random.default_rng(_SEED)
        )
        return frontier(*changed)

    key = f"{request.analysis(study.fingerprint)} {factor} {share}"
    with st.spinner("Computing losses at many precisions …"):
        found = session.remember("frontier", key, compute)
    results.show(
        frontier_picture(found, key=request.mechanism_key, unit=session.unit()), "frontier"
    )
    st.markdown(_parts(found, strength))
    if found.sampled < found.people:
        st.caption(
            f"The average is over {session.unit().number(found.sampled)} of {found.people:,}, "
            "evenly spread from the least to the most exposed. The largest loss is over the "
            "most exposed by each cause."
        )
    if not fit.linear and request.mechanism_key == "objective":
        st.caption(
            "For this release losses are upper bounds, and the error that its noise "
            "adds is approximated."
        )


def _parts(found: Frontier, strength: float) -> str:
    """Say what the error is made of, and what cannot be avoided."""
    text = (
        f"The same noise has the same height on every line. With λ {significant(strength)} "
        f"and {session.unit().number(found.people)} "
    )
    if np.isnan(found.without_noise):
        return text + (
            "there is no unique fit without a penalty, so the error of the penalty is "
            "unknown. The lines show the error of the noise."
        )
    text += (
        f"the error without noise is {significant(found.without_noise)} (of "
        "coefficients of scaled columns), measured from the fit without a penalty. The "
        "parts add up in squares."
    )
    if not np.isfinite(found.cramer_rao):
        return text
    return text + (
        f" No unbiased estimate of {session.unit().number(found.people)} could err by "
        "less than "
        f"{significant(found.cramer_rao)} (Cramér-Rao), whatever the penalty. A "
        "penalized fit is not unbiased, and may."
    )
