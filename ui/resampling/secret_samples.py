"""The Subsampling page: levels, profiles, claims, and whether a sample pays."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.quantities import quantity_of
from dpcore.figures.resampling import subsampling as figures
from dpcore.figures.resampling.subsampling import error_picture
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.privacy import gaussian, laplace, subsampling_amplification
from dpcore.privacy.composition import MOST_TIMES, repeated, rounding
from dpcore.privacy.subsampling_amplification import (
    ONE_SIDED_LIMIT,
    SOURCE_EPSILON,
    NoiseLaw,
    amplify,
    amplify_one_sided,
    amplify_replacement,
    amplify_with_replacement,
    base_epsilon,
)
from dpcore.studies.resampling.subsampling_study import (
    MOST_SIMULATED,
    Measured,
    Retention,
    SampledMean,
    claimed,
    lemma_curve,
    measure,
    renyi_curve,
    simulate,
)
from ui import confidential, results, session
from ui.form import ChoiceSetting, NumberSetting, Pane, SettingsForm, Slide
from ui.study import Study

_RATES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.01, 0.001)
_POINTS = 200
_MOST_SHIFT = 4.0
_IN_DIGITS = ("rows", "Laplace scale", "Gaussian deviation")
SHARE_HELP = "The probability that a row is in the sample. The sampled rows must stay secret."


_LEVELS: Final = SettingsForm(
    row={
        "target": NumberSetting(
            label="ε that the answer may cost", value=0.1, within=(1e-6, 50.0), key="ss-target"
        ),
        "epsilon": NumberSetting(
            label="ε on the sample",
            value=3.0,
            within=(1e-6, 700.0),
            key="ss-base",
            note="The guarantee of the analysis for the sample itself.",
        ),
        "people": NumberSetting(
            label="Rows in the table", value=1000, within=(1, 10**9), key="ss-people"
        ),
        "rate": NumberSetting(
            label="Share of rows in the sample",
            value=0.05,
            within=(1e-9, 1.0),
            key="ss-share",
            note=SHARE_HELP,
        ),
        "delta": NumberSetting(
            label="δ for Gaussian noise",
            value=1e-6,
            within=(1e-15, 0.1),
            key="ss-level-delta",
            note="The δ of the Gaussian mechanism.",
        ),
    }
)


def levels(*, target: float, epsilon: float, people: int, rate: float, delta: float) -> None:
    """Find the share of rows, or the level on the sample, that reaches a target."""
    kept = Retention.of(target, epsilon)
    base = float(base_epsilon(target, rate))
    rows = math.floor(people * kept.exact * (1 + 1e-12))
    if epsilon <= target:
        text = (
            f"**ε = {epsilon_text(epsilon)} is already at most {epsilon_text(target)}: "
            f"keep all {people:,} rows.** "
        )
    else:
        text = (
            f"**To reduce ε = {epsilon_text(epsilon)} to {epsilon_text(target)}, "
            f"keep {points(kept.exact)} of the rows: {rows:,} of {people:,}.** The "
            f"source's rule keeps {points(kept.claimed)} and reaches ε = "
            f"{epsilon_text(kept.reached)}. "
        )
    st.markdown(
        f"{text}**With {points(rate)} of the rows the analysis may spend ε = "
        f"{significant(base, 5)} on the sample.**"
    )
    if rows < 1:
        st.warning("That is less than one row. Choose a smaller ε on the sample.")
    results.table(
        _table_of_levels(target, epsilon, people, delta),
        column_config=dict.fromkeys(_IN_DIGITS, results.THREE_DIGITS),
        key="ss-levels",
    )
    st.caption(
        "Noise of a total, scaled up to the table and divided by the change from adding or "
        "removing one person. At a fixed final ε it is smallest for the whole table."
    )
    st.markdown("**Sampling methods**")
    results.table(_schemes(epsilon, rate, people), key="ss-schemes")
    st.caption(
        "Sampling with replacement may draw a person several times. With many draws this can "
        "cost more than no sampling. The δ of an approximate guarantee also shrinks with the "
        "sampling rate."
    )


_PROFILES: Final = SettingsForm(
    row={
        "rate": Slide(
            label="Share of rows in the sample",
            value=0.1,
            within=(0.001, 1.0, 0.001),
            shape="%g",
            key="ss-profile-rate",
            note=SHARE_HELP,
        ),
        "ratio": Slide(
            label="Sensitivity / noise",
            value=1.0,
            within=(0.1, _MOST_SHIFT, 0.1),
            key="ss-ratio",
            note="Divided by the scale of Laplace noise, or by the standard deviation of Gaussian "
            "noise. For Laplace noise this is ε on the sample.",
        ),
        "delta": NumberSetting(
            label="δ",
            value=1e-6,
            within=(1e-15, 0.1),
            key="ss-delta",
            note="The δ at which ε is stated.",
        ),
    }
)


def profiles(*, rate: float, ratio: float, delta: float) -> None:
    """Show the whole privacy profile, and why zCDP gains nothing."""
    # As far as the least noise needs, so that the axis does not move with the noise.
    epsilon = np.linspace(0, 2 * _MOST_SHIFT, _POINTS)
    # Just below its level Laplace noise falls to 0 steeply.
    steep = np.append(1 - np.geomspace(1e-12, 0.1, 15), 1 + 1e-9)
    for level in (ratio, float(amplify(ratio, rate))):
        epsilon = np.union1d(epsilon, level * steep)
    shown: dict[subsampling_amplification.NoiseLaw, tuple[np.ndarray, np.ndarray]] = {
        "laplace": (
            laplace.delta_of(ratio, epsilon),
            subsampling_amplification.subsampled_delta("laplace", ratio, rate, epsilon),
        ),
        "gaussian": (
            gaussian.delta_of(ratio, epsilon),
            subsampling_amplification.subsampled_delta("gaussian", ratio, rate, epsilon),
        ),
    }
    picture = figures.profile_picture(epsilon, shown, rate=rate)
    results.show(picture, "profiles", simulated=True)
    st.markdown(
        "Zero-concentrated DP (ρ) bounds the Rényi divergence at *every* order. At high orders "
        "the rare samples that include the person dominate. So sampling does not reduce ρ, and "
        "the rule ρ q² in some texts is not valid."
    )
    results.show(figures.renyi_picture(renyi_curve(ratio, rate, delta)), "renyi", simulated=True)
    st.markdown("**Many releases, each from a new sample**")
    _many_releases(ratio, rate, delta, **_MANY.ask())


def points(share: float) -> str:
    """Return a share in percent with 3 digits.

    >>> points(0.0055105)
    '0.551%'
    """
    return f"{significant(100 * share)}%"


METHODS: Final = (
    "**Secret sample.** Rows are drawn at random, independently of their values, and the "
    "sampled rows stay secret. *Poisson*: each row independently with the same probability. "
    "*Without replacement*: a fixed number of different rows. *With replacement*: a row "
    "may be drawn several times.\n\n**Amplification by subsampling.** With sampling rate q, an "
    "analysis that is ε-DP on the sample is log(1 + q (eᵋ − 1))-DP for the table. At that "
    "level, δ(ε) becomes q δ(ε).\n\n**Sources.** A. Smith, *Differential privacy and the secrecy "
    "of the sample*, 2009: lemma 3 and notes a to c. Exact bounds: B. Balle, G. Barthe and M. "
    "Gaboardi, 2018, theorems 8 to 10. The Rényi curve: I. Mironov, K. Talwar and L. "
    "Zhang, 2019. Complex surveys: M. Bun, J. Drechsler, M. Gaboardi, A. McMillan and J. "
    "Sarathy, 2022."
)


def _table_of_levels(target: float, epsilon: float, people: int, delta: float) -> pd.DataFrame:
    rates = np.array(_RATES)
    allowed = base_epsilon(target, rates)
    # Where delta is not below the rate, the sampled rows themselves might be shown.
    sigma = [
        1 / (q * gaussian.mu_for(float(level), delta / q)) if delta < q else 0.0
        for q, level in zip(rates, allowed, strict=True)
    ]
    columns = (rates * people, 1 / (rates * allowed), sigma)
    return pd.DataFrame(
        {
            "share of rows": rates,
            "ε allowed on the sample": allowed,
            "ε of the answer at the ε above": amplify(epsilon, rates),
            **dict(zip(_IN_DIGITS, columns, strict=True)),
        }
    )


def _schemes(epsilon: float, rate: float, people: int) -> pd.DataFrame:
    draws = max(round(rate * people), 1)
    rows = [
        ("Poisson sampling", "adding or removing a record", rate),
        ("Poisson sampling", "replacing a record", rate),
        (f"{draws:,} rows without replacement", "replacing a record", draws / people),
        (f"{draws:,} rows with replacement", "replacing a record", draws / people),
    ]
    final = [
        float(amplify(epsilon, rate)),
        float(amplify_replacement(epsilon, rate)),
        float(amplify(epsilon, min(draws / people, 1.0))),
        amplify_with_replacement(epsilon, draws, people),
    ]
    return pd.DataFrame(
        {
            "sampling": [row[0] for row in rows],
            "neighboring tables": [row[1] for row in rows],
            "ε on the sample": epsilon,
            "ε of the answer": [epsilon_text(one) for one in final],
        }
    )


_MANY: Final = SettingsForm(
    row={
        "times": NumberSetting(
            label="Number of releases", value=100, within=(1, MOST_TIMES), key="ss-times"
        ),
        "law": ChoiceSetting(
            label="Noise", options=("gaussian", "laplace"), named=str.capitalize, key="ss-law"
        ),
    }
)


def _many_releases(ratio: float, rate: float, delta: float, *, times: int, law: NoiseLaw) -> None:
    """Show what many releases cost, each from a sample of its own."""
    with st.spinner("Composing the releases …"):
        total = session.remember(
            "subsampling-repeated",
            f"{law} {ratio!r} {rate!r} {times} {delta!r}",
            lambda: repeated(law, ratio, rate, times=times, delta=delta),
        )
    known = math.isfinite(total.pld)
    results.metrics(
        {
            "Basic": (
                f"ε = {epsilon_text(total.basic)}",
                "Basic composition: the ε of each release times their number.",
            ),
            "By Renyi divergences" if law == "gaussian" else "By zCDP": (
                f"ε = {epsilon_text(total.renyi)}",
                ("A tighter bound at the δ above, often smaller for many releases."),
            ),
            "Privacy loss distributions": (
                f"ε = {epsilon_text(total.pld)}" if known else "not available",
                "Numerical convolution, rounded up: tight up to the discretization.",
            ),
        }
    )
    if not known:
        st.caption(
            f"Convolution has rounding errors in δ, here up to "
            f"{significant(rounding(times), up=True)}, and cannot represent extremely large "
            "losses. The other two bounds are valid."
        )
    st.caption(
        f"For {times:,} releases fixed in advance, at δ = {significant(delta)}, under add/remove."
    )


_DRAWS, _SEED = 100_000, 2009
_DELTA = 1e-6
_MEASURED_AT = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)


_CLAIM: Final = SettingsForm(
    row={
        "epsilon": NumberSetting(
            label="ε on the sample",
            value=SOURCE_EPSILON,
            within=(0.01, 20.0, 0.1),
            key="ss-epsilon",
            note="The source uses 1.",
        ),
        "rate": Slide(
            label="Sampling rate",
            value=0.1,
            within=(0.01, 1.0, 0.01),
            key="ss-rate",
            note=SHARE_HELP,
        ),
    }
)


def claim_and_truth(*, epsilon: float, rate: float) -> None:
    """Compare the claim of the source with simulated releases and the exact bounds."""
    exact = float(amplify(epsilon, rate))
    rates = np.array(sorted({*_MEASURED_AT, rate}))
    measured = session.remember(
        "subsampling-measured",
        f"{epsilon!r} {rate!r}",
        lambda: measure(epsilon, rates, draws=_DRAWS, rng=np.random.default_rng(_SEED)),
    )
    here = int(np.flatnonzero(measured.rate == rate)[0])
    bound = float(claimed(epsilon, np.array(rate)))
    _headline(epsilon, rate)
    holds = bound < epsilon
    results.metrics(
        {
            "Claimed: at most": (
                f"ε = {epsilon_text(min(bound, epsilon))}",
                None
                if holds
                else "An answer from a sample never costs more than an answer from all rows.",
                None if holds else "the bound is trivial here",
            ),
            "Measured by simulation": (
                _estimate(measured, here),
                (
                    f"Log ratio of the frequencies of one event in {measured.draws:,} releases "
                    "with one person and in as many without, with a 95% interval."
                ),
            ),
            "Exact": (
                f"ε = {epsilon_text(exact)}",
                "log(1 + q (eᵋ − 1)), attained by Laplace noise on a total.",
            ),
        }
    )
    st.markdown(
        "The attacker's odds change by at most a factor "
        f"{significant(float(np.exp(epsilon)))} without a sample, and "
        f"{significant(float(np.exp(exact)), 4)} with a secret sample of {percent(rate)}."
    )
    grid = np.linspace(1 / _POINTS, 1, _POINTS)
    picture = figures.lemma_picture(lemma_curve(epsilon, grid), measured, at=rate)
    results.show(picture, "lemma", simulated=True)
    st.caption("“If only joining is limited” bounds the likelihood ratio in one direction only.")
    with st.expander("Claims of the source"):
        st.markdown(_verdicts(epsilon, rate, measured, here))


def _estimate(measured: Measured, at: int) -> str:
    estimate = float(measured.estimate[at])
    if not np.isfinite(estimate):
        return "too rare to measure"
    half = float(measured.high[at] - measured.low[at]) / 2
    return f"{significant(estimate)} ± {significant(half, 2)}"


def _headline(epsilon: float, rate: float) -> None:
    """State the exact levels of both claims."""
    exact, bound = (float(amplify(epsilon, rate)), float(claimed(epsilon, np.array(rate))))
    within = f"within the claimed {epsilon_text(bound)}"
    if bound >= epsilon:
        within = "where the claimed bound is trivial"
    rho = renyi_curve(1.0, rate, _DELTA)
    st.markdown(
        f"A secret sample of {percent(rate)} turns ε = {epsilon_text(epsilon)} into "
        f"**{epsilon_text(exact)}**, {within}. The rule ρ q² for Gaussian noise fails: at ρ = "
        f"{significant(rho.level)} it claims ε = {epsilon_text(rho.claimed_epsilon)}, and the "
        f"cost is **{epsilon_text(rho.exact_epsilon)}** (δ = {significant(_DELTA)})."
    )


def _verdicts(epsilon: float, rate: float, measured: Measured, at: int) -> str:
    seen = _estimate(measured, at)
    exact, bound = (float(amplify(epsilon, rate)), float(claimed(epsilon, np.array(rate))))
    one_sided = float(amplify_one_sided(epsilon, rate))
    usual = epsilon == SOURCE_EPSILON
    lemma = "2q" if usual else "q eᵋ (by note c; lemma 3 is about ε = 1)"
    limit = (
        f"up to q = {significant(ONE_SIDED_LIMIT)}"
        if usual
        else f"up to q = {significant(ONE_SIDED_LIMIT)} at ε = 1"
    )
    kept = Retention.of(0.1, 3.0)
    rows = [
        (
            f"ε = {significant(epsilon)} on a sample of share q is at most {lemma}, here "
            + (
                significant(bound)
                if bound < epsilon
                else f"more than the {significant(epsilon)} of all rows"
            ),
            seen,
            (
                f"**holds** for every q: {epsilon_text(exact)}, about "
                f"{significant(math.expm1(epsilon), 4)} q for small q"
            ),
        ),
        (
            ("Note b: a bound on *joining* is sufficient, and 2q holds up to q ≈ 0.79"),
            f"exact: {epsilon_text(one_sided)}",
            f"**holds** {limit}",
        ),
        (
            "Note c: to reduce ε c to ε, keep a share ε e⁻ᶜ of the rows",
            (f"c = 3, ε = 0.1: keeps {points(kept.claimed)}, reaches {epsilon_text(kept.reached)}"),
            f"**holds**; {points(kept.exact)} may be kept",
        ),
        (
            "Note c: almost no row is kept if c > ln n",
            (
                "1,000 rows, ε = 0.1: less than one row is kept if c > "
                f"{significant(math.log(1000 * 0.1), 3)}"
            ),
            "**holds**, already from c = ln(n ε) on",
        ),
        (
            "The cost is that the effective table shrinks",
            "see “Does it pay?”",
            "**holds**: for a mean the noise grows too, so sampling never helps",
        ),
        (
            "If a survey's sample stays secret, a small ε is essentially free",
            "see “A secret survey”",
            "**depends** on the secrecy; for respondents the guarantee is ε",
        ),
        (
            "Elsewhere: a sample of share q multiplies ρ of zCDP by q²",
            "see “Profiles”",
            "**fails**: ρ is unchanged",
        ),
    ]
    body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    head = "| claim | evidence | verdict |\n|---|---|---|"
    return f"{head}\n{body}"


_ERROR_DRAWS = 400
_SIMULATED_AT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_ERROR_POINTS = 100
_EPSILONS = 0.01, 50.0
_EVEN = "evenly spread from 0 to 1"
_RARE = "1 in 20 has a 1, the others a 0"
_MIDDLE = "all in the middle"


_ERRORS: Final = SettingsForm(
    row={
        "shape": ChoiceSetting(
            label="Simulated values", options=(_EVEN, _RARE, _MIDDLE), key="ss-values"
        ),
        "people": NumberSetting(
            label="Rows", value=1000, within=(20, MOST_SIMULATED), key="ss-rows"
        ),
        "epsilon": NumberSetting(
            label="Final ε",
            value=0.5,
            within=_EPSILONS,
            key="ss-final",
            note="The privacy cost of the answer, the same for all sampling rates.",
        ),
        "rate": Slide(
            label="Share of rows in the sample", value=0.1, within=(0.01, 1.0, 0.01), key="ss-part"
        ),
    }
)


def errors(*, shape: str, people: int, epsilon: float, rate: float) -> None:
    """Compare a release from a sample with one from all rows, at one final epsilon."""
    values = _simulated(shape, people)
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
            draws=_ERROR_DRAWS,
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
    study = session.study()
    if study is not None:
        _own_column(study, epsilon, rate)


def _why(at: SampledMean, rate: float) -> None:
    part, poisson = at.fixed_size(rate), at.poisson(rate)
    st.markdown(
        f"With {percent(rate)} of the rows, ε on the sample may be "
        f"{significant(float(base_epsilon(at.epsilon, rate)))}. The noise is as large as at ε = "
        f"{significant(float(at.effective_epsilon(rate)[()]))} on the whole table, and sampling "
        "error is added. Both shrink as the sample grows, so sampling never helps a mean, a "
        "total or a count. It helps if the rows *already* are a secret sample of a population, "
        "or if computation is expensive."
    )
    st.caption(
        f"Mean squared error without replacement: {significant(float(part.sampling[0]), 4)} "
        f"from the sample and {significant(float(part.noise[0]), 4)} from the noise. With "
        f"Poisson sampling, {significant(float(poisson.sampling[0]), 4)} and the same noise. "
        f"From all rows: {significant(at.full_error, 4)}."
    )


def _own_column(study: Study, epsilon: float, rate: float) -> None:
    """Show the same for a column of the table. CONFIDENTIAL: uses its variance."""
    numbers = [
        column
        for column in study.dataset.columns
        if column.kind.is_numeric and column.bounds is not None
    ]
    if not numbers:
        st.caption("To see this for your table, declare the bounds of a column on “Data”.")
        return
    place = st.selectbox(
        "Column of your table",
        range(len(numbers)),
        format_func=lambda index: numbers[index].title,
        key=f"ss-column-{session.generation()}",
        persist_state="session",
    )
    draw = partial(_column_errors, study, numbers[place], epsilon, rate)
    confidential.area("sampled-column", "the error for your column", draw)


def _column_errors(study: Study, column: Column, epsilon: float, rate: float) -> None:
    """Draw the errors for a column. CONFIDENTIAL."""
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


_SURVEY: Final = SettingsForm(
    row={
        "population": NumberSetting(
            label="People in the population",
            value=100_000,
            within=(1, 10**10),
            key="ss-population",
            note="The population of the survey.",
        ),
        "sampled": NumberSetting(
            label="Respondents, the rows of the table",
            value=5000,
            within=(1, 10**10),
            key="ss-respondents",
        ),
        "epsilon": NumberSetting(
            label="ε of the releases about the table",
            value=1.0,
            within=(1e-6, 700.0),
            key="ss-survey-epsilon",
        ),
    }
)


def survey(*, population: int, sampled: int, epsilon: float) -> None:
    """Show the guarantee of a secret survey for the population it was drawn from."""
    if sampled > population:
        st.error("The number of respondents is larger than the population. Correct one of them.")
        return
    rate = sampled / population
    final = float(amplify(epsilon, rate))
    results.metrics(
        {
            "For a respondent": (
                f"ε = {epsilon_text(epsilon)}",
                ("For a person who is known to have answered: the ε of the releases."),
            ),
            "For a member of the population": (
                f"ε = {epsilon_text(final)}",
                (
                    "For a person with unknown participation: smaller, because the person may "
                    "not be in the survey."
                ),
            ),
            "Share of the population in the survey": (
                percent(rate),
                ("Respondents divided by the population. A smaller share means a smaller ε."),
            ),
        }
    )
    st.markdown(
        "**For an attacker who does not know the sample, the guarantee is "
        f"ε = {epsilon_text(final)}, at no cost in accuracy.** "
        f"For a guarantee of {epsilon_text(epsilon / 10)}, the releases may spend ε = "
        f"{significant(float(base_epsilon(epsilon / 10, rate)), 5)}."
    )
    st.warning(
        "**The ledger still charges the full cost.** The smaller ε holds only under these "
        "assumptions:\n- The sample stays secret forever. Fieldwork, address lists and cookies "
        "do not reveal it.\n- The sample was drawn uniformly at random, independently of the "
        "answers. Nonresponse violates this.\n- There are no weights, strata, clusters or "
        "quotas. A published design can reveal more than no sampling would.\n- The attacker is "
        "no respondent and nobody close to one. For respondents the guarantee is ε = "
        f"{epsilon_text(epsilon)}.\n- The protected person is a member of the population, who "
        "may not be in the table. This guarantee differs from the one on other pages.\n- "
        "Several releases from one survey are composed *before* the amplification. Enter their "
        "total above."
    )


def _ends(at: SampledMean) -> tuple[float, float]:
    """Return the smallest and the largest RMSE at any epsilon of the page."""
    noisy, clear = (replace(at, epsilon=epsilon) for epsilon in _EPSILONS)
    worst = noisy.fixed_size(_grid(at.people)).total.max()
    return math.sqrt(clear.full_error), math.sqrt(worst)


def _simulated(shape: str, people: int) -> FloatArray:
    if shape == _EVEN:
        return np.arange(people) / (people - 1)
    if shape == _RARE:
        return np.asarray((np.arange(people) % 20 == 0).astype(np.float64))
    return np.full(people, 0.5)


def _grid(people: int) -> FloatArray:
    return np.geomspace(max(1 / people, 1e-4), 1, _ERROR_POINTS)


VIEWS: Final = {
    "Claim and truth": Pane(form=_CLAIM, show=claim_and_truth),
    "Which share?": Pane(form=_LEVELS, show=levels),
    "Profiles": Pane(form=_PROFILES, show=profiles),
    "Does it pay?": Pane(form=_ERRORS, show=errors),
    "A secret survey": Pane(form=_SURVEY, show=survey),
}
