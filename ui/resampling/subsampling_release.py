"""A release from a secret sample of the table in use: a part of the page."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.analyses.subsampled import KINDS, LAWS, SubsampledRequest, fixed_size
from dpcore.figures.individual import people
from dpcore.formatting import epsilon_text, significant
from dpcore.studies.resampling.subsampling_study import SampledMean
from ui import (
    confidential,
    controls,
    exposures,
    offering,
    partwise,
    question_form,
    results,
    session,
)
from ui.answering import answers, distortion
from ui.study import Study
from ui.text import after_number


def show() -> None:
    """Ask a question, offer its release from a sample, and show the answer."""
    study = session.require_study()
    if not partwise.in_memory(study, "A secret sample"):
        return
    asked, request = ask(study)
    study = session.require_study()  # as declared by the controls just now
    if request is None:
        return
    _preview(asked, request)
    answer = offering.offer(request, study, key="subsampled")
    if answer is not None:
        answers.resampled(
            answer,
            request,
            title=request.query.title,
            note=f"From a secret sample of {significant(100 * request.rate, 4)}% of the rows. "
            "Intervals cover noise and sampling.",
            keys=("subsampled-answer", "subsampled"),
        )
    confidential.area(
        "subsampled-losses",
        "the privacy loss of each person",
        partial(_everybody, request, study),
        ready=False,
    )
    distortion.show(request, study, key="subsampled-bias")


def ask(study: Study) -> tuple[Request, SubsampledRequest | None]:
    """Show the controls; return the question to the whole table, and to a sample.

    The second is ``None`` where no sample can answer it, and says why.
    """
    asked = question_form.ask(study)
    study = session.require_study()
    share = controls.HERE.slider(
        "Share of rows in the sample, %",
        10.0,
        (0.1, 100.0, 0.1),
        format="%g",
        key="ss-release-share",
        kept="table",
        note="Rows are drawn with random numbers of the operating system. Nobody can see which "
        "rows, not even the curator.",
    )
    return asked, _request(asked, study, share / 100)


def _request(asked: Request, study: Study, share: float) -> SubsampledRequest | None:
    query = asked.query
    if not isinstance(query, Query) or query.kind not in KINDS:
        st.info(
            f"Subsampling offers a {', '.join(KINDS)} of one column. Choose one of these above."
        )
        return None
    if asked.mechanism_key not in LAWS:
        names = " or ".join(LAWS.values())
        st.info(f"Subsampling offers the mechanisms {names}. Choose one of these above.")
        return None
    with controls.valid(ends=False):
        return SubsampledRequest(
            query=query,
            law=asked.mechanism_key,
            epsilon=asked.epsilon,
            delta=asked.used_delta,
            share=share,
            people=study.dataset.people if fixed_size(query.relation) else None,
        )
    return None


def _preview(asked: Request, request: SubsampledRequest) -> None:
    """Say what the sample costs in accuracy. Public numbers only."""
    unit = after_number(request.quantity.of_differences)
    mine, whole = request.plan.noise, asked.mechanism.noise
    results.metrics(
        {
            "ε on the sample": (
                epsilon_text(request.base_epsilon),
                ("The ε of the analysis of the sample, at which the answer has the chosen ε."),
            ),
            "Margin of error (95%, noise only)": (
                f"± {significant(request.plan.noise_half_width())}{unit}",
                "From the noise only. Sampling error is added.",
            ),
            "Noise relative to all rows": (
                f"{significant(mine / whole)} times",
                "Compared with a release from the whole table at the same privacy cost.",
            ),
        }
    )
    how = (
        "a fixed number of rows without replacement, because the number of rows is public"
        if request.people is not None
        else "each row with the same probability, because the number of rows is private"
    )
    worst = ""
    bounds = request.query.column.bounds
    if bounds is not None and request.people is not None and request.plan.scale == 1:
        at = SampledMean.at_worst(
            people=request.people, width=bounds.width, epsilon=request.epsilon
        )
        if not request.query.kind.of_members:
            error = float(at.fixed_size(request.rate).sampling[0]) ** 0.5
            worst = f"Standard error from sampling: at most {significant(error)}{unit}."
    st.caption(f"Sampling: {how}. {worst}")
    if request.rate == 1:
        st.caption("With all rows in the sample, subsampling has no effect.")


def _everybody(request: SubsampledRequest, study: Study) -> None:
    """Show everybody's own loss. CONFIDENTIAL."""
    exposure = exposures.exposed(study, request, request.query.relation)
    picture = people.exposure_picture(exposure, key=request.law, unit=session.unit())
    results.show(picture, "subsampled-losses")
    st.caption(exactness(request))


def exactness(request: SubsampledRequest) -> str:
    """Say how exact everybody's losses are, and why."""
    if request.plan.shift is None:
        return (
            "The weight of a row in the mean of a sample depends on the other rows. So each loss "
            "is the worst case here. For a total or a count losses differ."
        )
    if request.people is None or request.rate == 1:
        exact = request.rate == 1 or request.law == "laplace"
        how = "exact" if exact else "upper bounds"
        return f"Losses are {how}. They follow from the own change and the sampling rate."
    return (
        "Losses are upper bounds. The sample has a fixed size, so another row takes the place of "
        "a row that is not drawn. The loss is the guarantee, or the loss at a known sample if "
        "that is smaller."
    )
