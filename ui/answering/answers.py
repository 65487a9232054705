"""The parts of the Release page: price and error before, the answer after, the truth in a class."""

from __future__ import annotations

from typing import cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Releasable, Request
from dpcore.analyses.measurement import Direct
from dpcore.analyses.shares import SharePlan
from dpcore.documents import assumptions
from dpcore.figures import answers as figures
from dpcore.formatting import capital, percent, significant
from dpcore.releases.declared import minimum_of
from dpcore.releases.digits import noise_text, number_text, quantity_in
from dpcore.releases.record import Release
from dpcore.studies.proportion_intervals import coverage
from ui import offering, partwise, results, session
from ui.answering.numbers import RELEASED, recorded
from ui.answering.previews import price
from ui.answering.views import view
from ui.study import Study
from ui.text import after_number, literal

_SAMPLED = (
    "“With sampling” covers {what}, {assumed}. It allows the largest sampling error that fits the "
    "released numbers and the public bounds, so it can be wide."
)
_WHAT = (
    "the same quantity in the population",
    "the expected number in a sample of this size, not the number in the population",
)
_THESE_ROWS = "The answer is about the rows of this table."
_EVERYBODY = "There is no sampling error: “Data” says that the data are the whole population."


def show(answer: Release, asked: Request) -> None:
    """Show a sanitized answer with its intervals, cost and downloads."""
    with offering.frame(answer):
        view(asked).show(answer, asked)
        st.markdown(f"{literal(capital(asked.statement))}.")
        _beyond(answer, asked)
        # The numbers of a matrix have a scale each.
        noise_scale = f", noise scale {literal(noise_text(answer))}"
        st.markdown(
            f"Cost: {price(asked)}. Release {answer.draw} of this question, "
            f"{literal(answer.mechanism_label)}"
            f"{'' if asked.query.kind.of_matrix else noise_scale}, drawn by "
            f"{literal(answer.sampler)}."
        )
        biases = biases_of(asked)
        if biases and (answer.noise_ends or answer.total_ends):
            st.caption(f"These intervals do not include the bias from {biases}.")
        least = minimum_of(asked.parameters())
        if least is not None:
            few = f"{least:,} {asked.query.unit.counted}"
            st.caption(f"If fewer than {few} count, the result is biased, too.")
        results.release_files([answer], "answer")


def biases_of(asked: Request) -> str:
    """Return what biases an answer by its declaration: clamping, imputation, both, or nothing."""
    columns = asked.query.columns if asked.query.conditions else ()
    clamped = any(column.kind.is_numeric for column in columns)
    imputed = assumptions.imputed(columns, assumptions.treatments([asked.query]))
    return " and ".join(["clamping"] * clamped + ["imputation"] * bool(imputed))


def _beyond(answer: Release, asked: Request) -> None:
    """Say that the noise took an answer where no table could be."""
    if not isinstance(asked.plan, Direct):
        return
    bounds, values = asked.query.bounds, np.array(answer.values)
    sides = [f"below {significant(bounds.lower)}"] * bool(np.any(values < bounds.lower))
    sides += [f"above {significant(bounds.upper)}"] * bool(np.any(values > bounds.upper))
    if sides:
        st.caption(
            f"Noise moved an answer {' or '.join(sides)}, where no true value can be. Such noise "
            "is unbiased. BIT and folded noise stay in the possible range but are biased."
        )


def details(asked: Request) -> None:
    """Say what is computed, under which assumptions, and from which source."""
    amounts = (
        "Each number has its own: see the list above the button"
        if asked.query.kind.of_matrix
        else significant(asked.plan.noise)
    )
    st.markdown(
        f"**{asked.entry.label}.** {asked.entry.sentence}\n\n"
        f"**Sensitivity.** {view(asked).details(asked)}\n\n"
        f"**Noise scale.** {amounts}.\n\n"
        f"**What it is.** {literal(capital(asked.statement))}.\n\n"
        "**Intervals.** “Noise alone” holds exactly that number of this table. "
        + _of_sampling(asked)
    )


def _of_sampling(asked: Request) -> str:
    """Say of what the second interval is one, or why there is none."""
    study = session.require_study()
    if study.terms.unit.several:
        return _THESE_ROWS
    assumed = "as if the table were a simple random sample"
    if asked.query.kind.weighted:
        assumed = "if rows are drawn independently, each with its weight"
    what = _WHAT[asked.query.kind.of_totals]
    return _SAMPLED.format(what=what, assumed=assumed) if study.sampled else _EVERYBODY


def resampled(
    answer: Release, asked: Releasable, *, title: str, note: str, keys: tuple[str, str]
) -> None:
    """Show a number from resamples with its interval and files."""
    around, value = recorded(answer), answer.values[0]
    text = number_text(answer, answer.labels[0], value)
    quantity = quantity_in(answer, answer.labels[0])
    figure, files = keys
    with offering.frame(answer):
        st.metric(
            f"Private {literal(title)}", f"{text}{after_number(quantity.suffix)}", help=RELEASED
        )
        if answer.intervals is not None:
            picture = figures.resampled_picture(
                value,
                around,
                statement=asked.statement,
                quantity=quantity,
                sampled=session.require_study().sampled,
            )
            results.show(picture, figure)
            st.caption(note)
        offering.badge(answer, files)


_SURVEYS = 1000


def lesson(answer: Release, asked: Request, study: Study) -> None:
    """Show the truth and repeated draws, if the lesson is not about a private table."""
    if session.mode() is not Mode.CLASSROOM:
        return
    truth = partwise.found(
        "truth",
        study.about(asked.query),
        study.dataset,
        asked.query.value,
        doing="Computing the answer without noise",
    )
    if truth is None:
        return
    with st.container(border=True, key="classroom-lesson"):
        st.badge("Classroom: answers without noise", icon=":material/school:", color="gray")
        if asked.query.kind.of_ranks and study.parts is not None:
            partwise.in_memory(study, "The quantile beside its draws")
            return
        picture = view(asked).picture(answer, asked, truth=truth)
        results.show(picture, "lesson")
        if asked.constraint is not None:
            _coverage(answer, asked)


def _coverage(answer: Release, asked: Request) -> None:
    """Say how often the intervals hold, for a population with the released shares."""
    plan = cast("SharePlan", asked.plan)
    found = coverage(plan, np.array(answer.values), surveys=_SURVEYS, rng=np.random.default_rng(1))
    st.markdown(
        f"**Do the intervals hold?** The page simulates {_SURVEYS:,} surveys of a "
        "population with the released shares. The 95% interval of the answer contains the "
        "true share "
        f"in {percent(float(found.released.min()))} (the worst category). An interval for "
        f"sampling alone contains it in {percent(float(found.naive.min()))}."
    )
