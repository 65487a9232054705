"""The stations about averages of several answers: their noise, shape and budget."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.resampling.averages import (
    limits_picture,
    normality_picture,
    rivals_picture,
    sharing_picture,
)
from dpcore.postprocessing.combining import laplace_variance, laplace_weights, published_weights
from dpcore.studies.resampling import laplace_averages
from dpcore.studies.resampling.laplace_averages import Equipartition, Rivals
from dpcore.wording import significant
from ui import controls, results, session, work
from ui.resampling.standard_errors.settings import BootstrapSettings
from ui.text import sentence_of

_LEAST, _MOST = 1e-6, 1_000_000
_MOST_ANSWERS = 20


def rivals(asked: BootstrapSettings) -> None:
    """Compare averages of Laplace draws with Gaussian noise, at equal privacy."""
    first, second = controls.row(2)
    epsilon = _epsilon(first, "se-rival-epsilon")
    draws = second.slider("Laplace draws averaged, up to", 20, (2, 50), key="se-draws")
    each = Rivals(epsilon=epsilon, delta=asked.delta)
    with st.spinner("Comparing the noise of averages …"):
        pictures = session.remember(
            "se-rivals",
            repr((epsilon, asked.delta, draws)),
            lambda: (rivals_picture(each, draws), limits_picture(each)),
        )
    results.show(pictures[0], "se-rivals", simulated=True)
    st.markdown(
        f"**Claimed:** for k below log(1.25/δ) = {significant(each.published_limit)} "
        "the average of k Laplace draws is better than Gaussian noise. **Measured:** "
        f"against exact Gaussian noise it is for k below {significant(each.limit)}. "
        "**Corrected:** an average of k draws has a smaller ε at this δ "
        f"({significant(each.level(draws))} for {draws} draws), so that it may have "
        "less noise; then it stays better. But one draw is always the best of them: "
        "for one number averaging buys a nearly normal shape, and nothing else."
    )
    results.show(pictures[1], "se-limits", simulated=True)


def normality(asked: BootstrapSettings) -> None:
    """Test averages of Laplace draws for normality."""
    first, second, third = controls.row(3)
    most = first.slider("Draws averaged, up to", 20, (2, 50), key="se-most")
    size = second.number(
        "Values in a sample", 100, (12, 2000), key="se-sample", note="The original: 100."
    )
    samples = third.number("Samples for each", 1000, (100, 10_000, 100), key="se-samples")
    found = work.follow(
        "se-normality",
        repr((most, size, samples, asked.seed)),
        most,
        lambda: laplace_averages.run(
            range(1, most + 1), samples, np.random.default_rng(asked.seed), size=size
        ),
        doing="Testing samples for normality",
    )
    if not found:
        return
    for picks in (False, True):
        picture = normality_picture(found, picks=picks)
        results.show(picture, f"se-normality-{picks}", simulated=True)
    st.markdown(
        "**Claimed:** from 10 draws on the average cannot be told from a normal "
        "variable (the original reports 90.8 and 92.7 % for the two tests; the names "
        "seem to be exchanged). **What that does not say:** a sample of this size "
        "shows nothing of what happens once in a million draws, which is where δ lives."
    )


def sharing(asked: BootstrapSettings) -> None:
    """Compare the ways in which equal answers may share a budget."""
    first, second = controls.row(2)
    epsilon = _epsilon(first, "se-share-epsilon")
    times = second.number(
        "Answers",
        50,
        (1, 1000),
        key="se-answers",
        note="How many answers share the budget, and are averaged.",
    )
    parts = Equipartition(epsilon=epsilon, delta=asked.delta, times=times)
    with st.spinner("Sharing the budget …"):
        picture = session.remember(
            "se-sharing", repr((epsilon, asked.delta, times)), lambda: sharing_picture(parts)
        )
    results.show(picture, "se-sharing", simulated=True)
    st.caption("“Too much” marks ways that spend more than the ε that they claim.")
    st.markdown(
        "One answer with the whole budget is never worse for Laplace noise. Gaussian "
        "noise can be cut into any number of answers without loss: that is what made "
        "the free standard error look possible."
    )


def combining(asked: BootstrapSettings) -> None:
    """Weigh several Laplace answers of different privacy."""
    del asked
    text = controls.HERE.numbers(
        "ε of each answer",
        "0.1, 0.5, 1",
        key="se-weights",
        note="Separated by commas. The answers are to the same question.",
    )
    try:
        epsilons = _epsilons(text)
        right = laplace_weights(epsilons)
        wrong = published_weights(epsilons)
        best = laplace_variance(epsilons, right)
        printed = laplace_variance(epsilons, wrong)
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        return
    st.markdown(
        "**The answer with the most privacy has the most noise, and should weigh the "
        f"least.** Weighted by ε² the variance is {significant(best)} (sensitivity 1); "
        f"with the printed exponent it would be {significant(printed)}, "
        f"{significant(printed / best)} times as much."
    )
    results.table(
        {
            "ε": epsilons,
            "weight": right,
            "weight as printed": wrong,
            "variance of this answer": 2 / np.square(epsilons),
        },
        key="se-weight-table",
    )


def _epsilons(text: str) -> tuple[float, ...]:
    epsilons = controls.listed(text, float, "ε of the answers")
    if not 1 <= len(epsilons) <= _MOST_ANSWERS:
        raise ParameterError(f"give 1 to {_MOST_ANSWERS} answers, separated by commas.")
    if not all(_LEAST <= epsilon <= _MOST for epsilon in epsilons):
        raise ParameterError(f"give every answer an ε from {_LEAST:f} to {_MOST:,}.")
    return epsilons


def _epsilon(cell: controls.Cell, key: str) -> float:
    return cell.number("ε", 1.0, (0.01, 10.0, 0.1), key=key, note=controls.EPSILON_HELP)
