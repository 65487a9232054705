"""Does a sample pay, and what does a secret survey give? Parts of the page."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.quantities import quantity_of
from dpcore.figures.resampling.subsampling import error_picture
from dpcore.privacy.amplification import amplify, base_epsilon
from dpcore.studies.resampling.subsampling_study import MOST_SIMULATED, SampledMean, simulate
from dpcore.wording import epsilon_text, percent, significant
from ui import confidential, controls, results, session
from ui.study import Study

_DRAWS, _SEED = 400, 2009
_SIMULATED_AT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_POINTS = 100
_EPSILONS = 0.01, 50.0
_EVEN = "evenly spread from 0 to 1"
_RARE = "1 in 20 has a 1, the others a 0"
_MIDDLE = "all in the middle"


def errors(study: Study | None) -> None:
    """Compare a release from a sample with one from all rows, at one final epsilon."""
    first, second, third, fourth = controls.row(4)
    shape = first.selectbox("Made-up values", [_EVEN, _RARE, _MIDDLE], key="ss-values")
    people = second.number("Rows", 1000, (20, MOST_SIMULATED), key="ss-rows")
    epsilon = third.number(
        "Final ε",
        0.5,
        (_EPSILONS[0], _EPSILONS[1]),
        key="ss-final",
        note="The same for all: what the answer costs in the end.",
    )
    rate = fourth.slider("Share of rows in the sample", 0.1, (0.01, 1.0, 0.01), key="ss-part")
    values = _made_up(shape, people)
    at = SampledMean.of(values, width=1.0, epsilon=epsilon)
    rates = _grid(people)
    simulated = session.remember(
        "subsampling-errors",
        f"{shape} {people} {epsilon!r}",
        lambda: simulate(
            values,
            width=1.0,
            epsilon=epsilon,
            rates=_SIMULATED_AT,
            draws=_DRAWS,
            rng=np.random.default_rng(_SEED),
        ),
    )
    picture = error_picture(
        at.fixed_size(rates),
        full=at.full_error,
        simulated=simulated,
        at=rate,
        unit="",
        ends=_ends(at),
    )
    results.show(picture, "sampled-errors", simulated=True)
    _why(at, rate)
    if study is not None:
        _own_column(study, epsilon, rate)


def _why(at: SampledMean, rate: float) -> None:
    part, poisson = at.fixed_size(rate), at.poisson(rate)
    st.markdown(
        f"With {percent(rate)} of the rows the level on the sample may be "
        f"{significant(float(base_epsilon(at.epsilon, rate)))}. Yet the noise is as if "
        f"only ε {significant(float(at.effective_epsilon(rate)[()]))} of "
        f"{significant(at.epsilon)} were spent on the whole table, and on top comes "
        "who happens to be sampled. Both shrink as the sample grows: for a mean, a "
        "total or a count a sample never helps. It helps where the rows *already* are "
        "a secret sample of a population, or where computing is what is scarce."
    )
    st.caption(
        "Mean squared error without replacement: "
        f"{significant(float(part.sampling[0]), 4)} from the sample and "
        f"{significant(float(part.noise[0]), 4)} from the noise; if everybody is taken "
        f"with the same chance, {significant(float(poisson.sampling[0]), 4)} and the "
        f"same noise. From all rows: {significant(at.full_error, 4)}."
    )


def _own_column(study: Study, epsilon: float, rate: float) -> None:
    """Show the same for a column of the table. CONFIDENTIAL: uses its variance."""
    numbers = [
        column
        for column in study.dataset.columns
        if column.kind.is_numeric and column.bounds is not None
    ]
    if not numbers:
        st.caption("Declare the bounds of a column on “Data” to see it on your table.")
        return
    place = st.selectbox(
        "On a column of your table",
        range(len(numbers)),
        format_func=lambda index: numbers[index].title,
        key=f"ss-column-{session.generation()}",
        persist_state="session",
    )
    column = numbers[place]
    with confidential.area("sampled-column", "what it is for your column") as shown:
        if not shown:
            return
        at = _of_column(study, column, epsilon)
        picture = error_picture(
            at.fixed_size(_grid(at.people)),
            full=at.full_error,
            simulated=None,
            at=max(rate, 1 / at.people),
            unit=quantity_of(column).of_differences,
            ends=_ends(at),
        )
        results.show(picture, "column-errors")


def _of_column(study: Study, column: Column, epsilon: float) -> SampledMean:
    """Return the study of a column, clamped, around the middle of its bounds."""
    bounds = column.bounds
    assert bounds is not None  # noqa: S101 - chosen among columns with bounds
    key = f"{study.fingerprint} {column.name} {bounds.lower!r} {bounds.upper!r}"

    def moments() -> SampledMean:
        values = study.in_memory.numbers(column.name)
        clamped = bounds.clip(values[~np.isnan(values)])
        middle = bounds.lower + bounds.width / 2
        return SampledMean.of(clamped - middle, width=bounds.width, epsilon=1.0)

    return replace(session.remember("subsampling-column", key, moments), epsilon=epsilon)


def survey() -> None:
    """Work out what a secret survey gives to the population it was drawn from."""
    first, second, third = controls.row(3)
    population = first.number(
        "People in the population",
        100_000,
        (1, 10**10),
        key="ss-population",
        note="From whom the survey drew its respondents.",
    )
    sampled = second.number(
        "Respondents, the rows of the table", 5000, (1, 10**10), key="ss-respondents"
    )
    epsilon = third.number(
        "ε of the releases about the table", 1.0, (1e-6, 700.0), key="ss-survey-epsilon"
    )
    if sampled > population:
        st.error(
            "There are more respondents than people in the population. Correct one of "
            "the two numbers."
        )
        return
    rate = sampled / population
    final = float(amplify(epsilon, rate))
    cells = st.columns(3)
    cells[0].metric(
        "For a respondent",
        f"ε {epsilon_text(epsilon)}",
        help="For somebody who is known to have answered, nothing is gained: the ε of "
        "the releases.",
    )
    cells[1].metric(
        "For a member of the population",
        f"ε {epsilon_text(final)}",
        help="For somebody of whom nobody knows whether they answered: less, since "
        "they may not be in the survey at all.",
    )
    cells[2].metric(
        "Share of the population in the survey",
        percent(rate),
        help="Respondents over people in the population. The smaller, the more a "
        "member of it is hidden.",
    )
    st.markdown(
        f"**Whoever does not know who was surveyed learns about a member of the "
        f"population at most what ε {epsilon_text(final)} allows, at no cost in "
        f"accuracy.** For that to be {epsilon_text(epsilon / 10)}, the releases might "
        f"spend ε {significant(float(base_epsilon(epsilon / 10, rate)), 5)}."
    )
    st.warning(
        "**This does not change what the ledger charges**, and holds only if all of "
        "this is so:\n"
        "- The sample is secret, for good: nobody tells who was asked, neither the "
        "fieldwork nor an address list nor a cookie.\n"
        "- It was drawn uniformly at random and without a look at the answers; people "
        "who declined, or were hard to reach, break that.\n"
        "- Weights, strata, clusters and quotas break the formula: a published design "
        "may even reveal more than no sample would.\n"
        f"- Respondents know that they took part, and so may their household. For them "
        f"the guarantee is ε {epsilon_text(epsilon)}.\n"
        "- The person protected is a member of the population, who may not be in the "
        "table at all: that is another promise than the one on the other pages.\n"
        "- Several releases from one survey add up *before* the amplification: enter "
        "their total above."
    )


def _ends(at: SampledMean) -> tuple[float, float]:
    """Return the least and the largest typical error at any epsilon of the page."""
    noisy, clear = (replace(at, epsilon=epsilon) for epsilon in _EPSILONS)
    worst = noisy.fixed_size(_grid(at.people)).total.max()
    return math.sqrt(clear.full_error), math.sqrt(worst)


def _made_up(shape: str, people: int) -> FloatArray:
    if shape == _EVEN:
        return np.arange(people) / (people - 1)
    if shape == _RARE:
        return np.asarray((np.arange(people) % 20 == 0).astype(np.float64))
    return np.full(people, 0.5)


def _grid(people: int) -> FloatArray:
    return np.geomspace(max(1 / people, 1e-4), 1, _POINTS)
