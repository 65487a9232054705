"""The page of the resized bootstrap: settings, claims, and tabs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.resampling import resized_pictures as figures
from dpcore.figures.resampling.resized_pictures import chance
from dpcore.formatting import at_most, epsilon_text, in_full, people, significant
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.privacy.interpretation import best_guess
from dpcore.studies.resampling import resized_study
from dpcore.studies.resampling.resized_study import laplace_variance
from ui import controls, layout, results
from ui.form import Asked, Charged, ChoiceSetting, NumberSetting, SettingsForm

BY_Z, BY_EPSILON = "Z: one row in Z", "claimed ε = 1/Z"
MOST_PEOPLE = 1_000_000
MOST_SCORES = 10_000


_NUMBERS: Final = {
    BY_Z: NumberSetting(
        label="Z",
        value=10.0,
        within=(0.01, float(MOST_PEOPLE), 1.0),
        key="resized-z",
        note="One row in Z is drawn. Z is between 0 and the number of rows.",
    ),
    BY_EPSILON: NumberSetting(
        label="Claimed ε",
        value=0.1,
        within=(1e-6, 100.0, 0.05),
        key="resized-claim",
        note="Z is 1/ε.",
    ),
}
SIZE: Final[Mapping[str, Asked]] = {
    "by": ChoiceSetting(
        label="Sample size set by",
        options=tuple(_NUMBERS),
        key="resized-by",
        note="The method draws n/Z rows, rounded up, and claims ε = 1/Z.",
    ),
    "number": lambda asked: _NUMBERS[asked["by"]],
    "scores": NumberSetting(
        label="Scores released",
        value=30,
        within=(1, MOST_SCORES, 5),
        key="resized-scores",
        note="K. The method draws a new sample for each score.",
    ),
    "epsilon": Charged(
        label="ε of the repair",
        value=0.1,
        within=(1e-6, 100.0, 0.05),
        key="resized-epsilon",
        note=controls.EPSILON_HELP,
    ),
}
FORM: Final = SettingsForm(
    row={
        "people": NumberSetting(
            label="People",
            value=1000,
            within=(1, MOST_PEOPLE, 100),
            key="resized-people",
            note="n, a public number.",
        ),
        "ones": NumberSetting(
            label="People with the trait",
            value=10,
            within=(0, MOST_PEOPLE),
            key="resized-ones",
            note="k of the n rows. The score is their share.",
        ),
        **SIZE,
    },
    more={
        "attackers": NumberSetting(
            label="Simulated attackers",
            value=2000,
            within=(100, 20_000, 100),
            key="resized-attackers",
            note="More attackers give shorter bars.",
        ),
        "seed": NumberSetting(label="Seed", value=1, within=(0, 2**31 - 1), key="resized-seed"),
    },
    widths=(1.0, 1.0, 1.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampleSize:
    """How small the resample is, by Z or the claimed epsilon, and what else is asked.

    An attacker asks for so many scores; the repaired form guarantees ``epsilon``.
    """

    by: str
    number: float
    scores: int
    epsilon: float

    def bootstrap(self, people: int, *, rows: int = 1) -> ResizedBootstrap:
        """Return the published mechanism on that many people.

        Raises:
            ParameterError: Z does not lie between 0 and the number of people.

        """
        by_epsilon = self.by == BY_EPSILON
        make = ResizedBootstrap.from_epsilon if by_epsilon else ResizedBootstrap.from_ratio
        return make(people, self.number, rows=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResizedCase:
    """A table of which so many rows are ones, and how it is resampled.

    Public where it is simulated; CONFIDENTIAL where ``ones`` was counted in a table.
    ``epsilon`` is what the repaired form guarantees.
    """

    bootstrap: ResizedBootstrap
    ones: int
    scores: int
    epsilon: float
    attackers: int = 2000
    seed: int = 1
    simulated: bool = True

    @property
    def repaired(self) -> NoisyResample:
        """Return the repaired mechanism on the same resample."""
        return NoisyResample.calibrate(
            people=self.bootstrap.people,
            draws=self.bootstrap.draws,
            epsilon=self.epsilon,
            rows=self.bootstrap.rows,
            shares=True,
        )


def simulated_case(
    *,
    people: int,
    ones: int,
    attackers: int,
    seed: int,
    **size: Any,  # noqa: ANN401 - fields of the size
) -> ResizedCase:
    """Return what the form of a simulated table is set to.

    Raises:
        ParameterError: The settings do not go together.

    """
    if ones > people:
        raise ParameterError(f"at most {people:,} people can have the trait, not {ones:,}.")
    asked = ResampleSize(**size)
    return ResizedCase(
        bootstrap=asked.bootstrap(people),
        ones=ones,
        scores=asked.scores,
        epsilon=asked.epsilon,
        attackers=attackers,
        seed=seed,
    )


_Column = tuple[str, str, str, str | None]
"""Privacy, what it means, what else there is to say, and what stands below it."""
_DELTA = 1e-6
_SURE = 0.95


def answer(case: ResizedCase) -> None:
    """Show the three columns for a simulated table, and what proves the point."""
    bootstrap, ones, fixed = case.bootstrap, case.ones, case.repaired
    share = ones / bootstrap.people
    real = float(bootstrap.variance(share))
    once, often = (
        max(pair.epsilon(_DELTA) for pair in bootstrap.around(ones, scores=k))
        for k in (1, case.scores)
    )
    several = f", {epsilon_text(often)} for {case.scores:,}" if case.scores > 1 else ""
    times = f", {significant(real / bootstrap.claimed_variance)} times the claim" if real else ""
    error = math.sqrt(float(fixed.variance(1.0, share * (1 - share))))
    whole = math.sqrt(laplace_variance(bootstrap.people, case.epsilon))
    compare(
        bootstrap,
        fixed,
        scores=case.scores,
        epsilon=case.epsilon,
        simulated=(
            (
                f"\n- A trait of {people(ones)}: ε = {epsilon_text(once)} at δ = "
                f"{significant(_DELTA)} for one score{several}.\n- Variance of that share: "
                f"{significant(real)}{times}."
            ),
            (
                f"\n- RMSE: {significant(error)}. With the same ε on *all* rows: "
                f"{significant(whole)}."
            ),
        ),
    )


def compare(
    bootstrap: ResizedBootstrap,
    repaired: NoisyResample,
    *,
    scores: int,
    epsilon: float,
    width: float = 1.0,
    simulated: tuple[str, str] = ("", ""),
) -> None:
    """Show what is claimed, measured and repaired, and why the claim is wrong.

    Of a table in use these are public numbers; what is ``simulated`` stands below.
    """
    columns = {
        "Claimed": (
            f"ε = {epsilon_text(bootstrap.claimed_epsilon)}",
            "ε = 1/Z, for each score, without a δ.",
            (
                f"- {bootstrap.draws:,} of {bootstrap.people:,} rows are drawn with "
                "replacement, without noise.\n- A row is drawn with "
                f"probability at most 1/Z = {chance(bootstrap.claimed_appearance)}.\n- Variance "
                f"of a share: Z/n² = {significant(bootstrap.claimed_variance)}."
            ),
            None,
        ),
        "Measured": _measured(bootstrap, scores, simulated[0]),
        "Repaired": (
            f"ε = {epsilon_text(epsilon)}",
            "It holds for every table, and can be released.",
            (
                "- The same resample, and Laplace noise of scale "
                f"{significant(repaired.scale(width))} on its mean.\n- For a row of the *sample* "
                f"this is ε = {epsilon_text(repaired.level)}. {_moved(repaired)}{simulated[1]}"
            ),
            None,
        ),
    }
    for place, (title, (privacy, meaning, text, below)) in zip(
        st.columns(3), columns.items(), strict=True
    ):
        with place.container(border=True, height="stretch"):
            st.header(title, anchor=False)
            st.metric(
                "Privacy",
                privacy,
                delta=below,
                delta_color="inverse",
                delta_arrow="off",
                help=meaning,
            )
            st.markdown(text)
    tau = bootstrap.delta()
    st.markdown(
        "**Why:** a score above 0 proves a trait that only one row has. The probability is "
        f"**{chance(tau)}**, and the claim allows 0."
    )


def _measured(bootstrap: ResizedBootstrap, scores: int, simulated: str) -> _Column:
    tau = bootstrap.delta()
    above = ", more than claimed" if tau > bootstrap.claimed_appearance else ""
    enough = bootstrap.looks_until(_SURE)
    proving = "1 score proves" if scores == 1 else f"{scores:,} scores prove"
    end = "" if enough == scores else f"; {enough:,} {'reaches' if enough == 1 else 'reach'} 95%"
    return (
        "no finite ε",
        (
            "(0, δ)-DP: with probability δ everything about a person may be revealed, and "
            "otherwise nothing."
        ),
        (
            f"- A row is drawn with probability {chance(tau)}{above}.\n- {proving} a trait of "
            f"one row with probability {chance(bootstrap.delta(scores=scores))}{end}.{simulated}"
        ),
        f"δ = {significant(tau)} at every ε",
    )


def _moved(fixed: NoisyResample) -> str:
    """Say what the sample makes of the level that noise alone gives a row of it."""
    before, after = fixed.level, fixed.epsilon()
    if after > before:
        return f"Repeated draws of a row raise it to {epsilon_text(after)}."
    if after == before:
        return "The sampling does not change it."
    return f"The sampling lowers it to {epsilon_text(after)}."


METHODS: Final = (
    "**Resized bootstrap.** Of n rows draw m = ⌈n/Z⌉ with replacement, compute the score "
    "of these rows, and draw a new sample for every question. Source: J. Mount and N. Zumel, *A "
    "simple differentially private procedure*, Win-Vector blog, October 2015, which "
    "claims ε = 1/Z.\n\n**Why it fails.** Two tables differ in one row. With the same "
    "draws they give the same score unless that row is drawn, which happens with "
    "probability τ = 1 − (1 − 1/n)^m. So δ is at most τ, for every score. A score that "
    "shows whether the row was drawn attains τ at every ε, because the other table cannot "
    "produce that score. K scores are equivalent to one score with K m draws.\n\n**A trait of k "
    "people.** The number of ones in the sample is binomial, Bin(m, k/n) or Bin(m, (k + "
    "1)/n). So δ(ε) = Σ max(0, P(c) − e^ε Q(c)), summed exactly. The larger of both directions is "
    "used.\n\n**Repaired.** Laplace noise of scale b on the mean of the m rows "
    "gives ε′ = m log(1 + (e^(R/(m b)) − 1)/n). R is the width of the bounds. ε′ is exact "
    "for shares, and for numbers if ε′ ≤ R/(m b). Otherwise a slightly larger bound is "
    "used. With a δ: the smaller of theorem 10 of Balle, Barthe and Gaboardi (2018) and the "
    "pure bound. Without a δ the mean of all rows never needs more noise for the "
    "same guarantee, and has no sampling error. So the corrected method is not recommended. "
    "A δ lowers the noise only because it permits exposure with that probability. It must be "
    "below 1/n."
)


_SCORES = 10_000
_BEYOND = 3
_MOST_AVERAGED = 10**6


def show_tour(case: ResizedCase, key: str) -> None:
    """Draw the stations as tabs; the caller frames an own table as confidential."""
    stations = {
        "Which ε holds": _profile,
        "Proof": _proof,
        "Averages": _averages,
        "Scores": _tour_scores,
        "Errors": _errors,
        "Fair comparison": _fair,
    }
    layout.show(stations, case, key, key=f"{key}-station", shared=False)


def _profile(case: ResizedCase, key: str) -> None:
    picture = figures.profile_picture(case.bootstrap, case.ones, case.repaired)
    results.show(picture, f"{key}-profile", simulated=case.simulated)
    pairs = case.bootstrap.around(case.ones)
    pure = max(max(pair.pure) for pair in pairs)
    middle = case.bootstrap.pair(max(0, (case.bootstrap.people - 1) // 2))
    half, claim = max(middle.pure), case.bootstrap.claimed_epsilon
    smallest = f"ε = {significant(pure)}" if math.isfinite(pure) else "no finite ε"
    st.markdown(
        "A pure ε holds where its line reaches δ = 0. The line of a trait of one person never "
        f"does. For a trait of {people(case.ones)}, {smallest} holds. For a trait of half of the "
        f"people it is ε = {significant(half)}, {significant(half / claim, 2)} times the claim of "
        f"{significant(claim)}. Sampling protects common values, not rare ones."
    )


def _proof(case: ResizedCase, key: str) -> None:
    rng = np.random.default_rng(case.seed)
    most = max(case.scores, min(resized_study.usual_most(case.bootstrap), 10**7))
    curve = resized_study.reveal(case.bootstrap, most, rng=rng, runs=case.attackers)
    beliefs = best_guess(curve.scores * case.bootstrap.claimed_epsilon)
    picture = figures.reveal_picture(curve, case.bootstrap, beliefs)
    results.show(picture, f"{key}-proof", simulated=case.simulated)
    many = "1 score" if case.scores == 1 else f"{case.scores:,} scores"
    st.markdown(
        f"One person has the trait. The line is the share of {case.attackers:,} simulated "
        "attackers with proof: a score above 0 is impossible without that person. After "
        f"{many} it is {chance(case.bootstrap.delta(scores=case.scores))}. After as many answers "
        "with Laplace noise, an attacker who was 50% sure is at most "
        f"{at_most(resized_study.laplace_belief(case.bootstrap, case.scores))} sure."
    )


def _averages(case: ResizedCase, key: str) -> None:
    rng = np.random.default_rng(case.seed)
    needed = resized_study.scores_to_average(case.bootstrap, case.ones)
    most = max(case.scores, min(_BEYOND * needed, _MOST_AVERAGED))
    curve = resized_study.averaging(
        case.bootstrap, case.ones, most, rng=rng, runs=min(case.attackers, 2000)
    )
    picture = figures.averaging_picture(curve, case.ones, case.bootstrap.people)
    results.show(picture, f"{key}-averages", simulated=case.simulated)
    st.markdown(
        "Each score uses a new sample, so errors average out. The rule of thumb "
        f"15.4 n² p (1 − p) / m gives {needed:,} scores here. Noise averages out too, but each "
        "noisy answer is charged, so the budget sets a limit."
    )


def _tour_scores(case: ResizedCase, key: str) -> None:
    rng = np.random.default_rng(case.seed)
    ones = min(case.ones, case.bootstrap.people - 1)
    found = resized_study.score_histogram(case.bootstrap, ones, draws=_SCORES, rng=rng)
    picture = figures.scores_picture(found, ones, case.bootstrap.delta())
    results.show(picture, f"{key}-scores", simulated=case.simulated)
    st.markdown(
        f"Scores of resamples of {case.bootstrap.draws:,} rows from a table with {ones:,} ones, "
        f"and from one with {ones + 1:,}. A score is proof where only one line is above 0. To "
        "see one, set the number of people with the trait to 0."
    )


def _errors(case: ResizedCase, key: str) -> None:
    bootstrap, ones = case.bootstrap, case.ones
    rivals = resized_study.rivals(bootstrap, ones)
    picture = figures.variance_picture(bootstrap, ones, rivals)
    results.show(picture, f"{key}-errors", simulated=case.simulated)
    share = ones / bootstrap.people
    real = float(bootstrap.variance(share))
    fixed = float(case.repaired.variance(1.0, share * (1 - share)))
    rows = [
        ("resized bootstrap, claimed: Z/n²", bootstrap.claimed_variance, None),
        ("the same, as its summary says: Z/(εn²)", bootstrap.stated_variance, None),
        ("resized bootstrap, actual: p (1 − p)/m", real, None),
        (f"repaired, ε = {in_full(case.epsilon)}: p (1 − p)/m + 2b²", fixed, None),
        *(
            (rival.name, rival.variance, resized_study.break_even(bootstrap, rival))
            for rival in rivals
        ),
    ]
    results.table(
        {
            "method": [name for name, *_ in rows],
            "variance": [value for _, value, _ in rows],
            "RMSE": [math.sqrt(value) for _, value, _ in rows],
            "better above n p (1 − p)": [least for *_, least in rows],
        },
        column_config=dict.fromkeys(
            ("variance", "RMSE", "better above n p (1 − p)"), results.THREE_DIGITS
        ),
        placeholder="–",
        key=f"{key}-variances",
    )
    st.markdown(
        "The claimed variance is correct only for a single one among n rows. The source also "
        "contradicts itself by a factor of Z. Noise on the share of all rows has the same "
        "variance for every share. It is better if n p (1 − p) exceeds the number in the "
        f"last column. Here n p (1 − p) is {significant(bootstrap.people * share * (1 - share))}."
    )


def _fair(case: ResizedCase, key: str) -> None:
    bootstrap, ones = case.bootstrap, case.ones
    rivals = {
        rival.name: rival for rival in resized_study.rivals(bootstrap, ones) if rival.key != "claim"
    }
    name = st.radio("Compare with", list(rivals), horizontal=True, key=f"{key}-rival")
    rival, tau = rivals[name], bootstrap.delta()
    st.caption(
        f"A row is drawn with probability τ = {chance(tau)}. A comparison at the claimed ε would "
        "be unfair, because that guarantee does not hold."
    )
    left, right = st.columns(2)
    with left:
        picture = figures.rivals_picture(bootstrap, ones, rivals[name])
        results.show(picture, f"{key}-rivals", simulated=case.simulated)
    with right:
        picture = figures.detection_picture(bootstrap, ones, rivals[name])
        results.show(picture, f"{key}-detection", simulated=case.simulated)
    st.markdown(
        _crossing(rival, tau) + "Probability of a certain identification in one answer: "
        f"{chance(bootstrap.delta())} with a resized bootstrap, "
        f"{chance(rivals[name].delta)} with noise. Variance at this share: "
        f"{significant(float(bootstrap.variance(ones / bootstrap.people)))} and "
        f"{significant(rivals[name].variance)}."
    )


def _crossing(rival: resized_study.Rival, tau: float) -> str:
    """Say where the line of noise lies above that of a rare trait, and why."""
    at = rival.failing(tau)
    if at <= 0:
        return ""
    return (
        f"Below ε = {significant(at)} the δ of the noise is larger. Above, it is smaller, and "
        f"from ε = {significant(rival.epsilon)} on it is 0. The δ of a resample never becomes 0. "
    )
