"""A released model in both scales, what its penalty does, and the fit behind it."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.analyses.model import ModelRequest, in_units
from dpcore.analyses.model_errors import errors_of, shrinkage_text
from dpcore.arrays import FloatArray
from dpcore.data.columns import ColumnKind
from dpcore.data.quantities import quantity_of
from dpcore.errors import InPartsError
from dpcore.figures.coefficients import coefficients_picture
from dpcore.formatting import capital, in_full, people, percent, significant, singular_of
from dpcore.models.design import Term
from dpcore.models.diagnostics import Diagnostics, diagnose
from dpcore.models.loss_functions import ModelKind
from dpcore.models.model_mechanisms import adaptive_posterior as published
from dpcore.models.model_mechanisms.adaptive_posterior import AdaptivePosterior
from dpcore.models.question import Fit
from dpcore.models.shrinkage import Plain, plain_beside
from dpcore.releases.digits import interval_text, number_text
from dpcore.releases.record import Release
from ui import offering, results, session
from ui.models import modelling
from ui.study import Study
from ui.text import literal, sentence_of

_DRAW = "_model_draw"
_HARD = 1e10
_PENALIZED: Final = "penalized coefficient"


_MEANS: Final = {
    ModelKind.LINEAR: "the target",
    ModelKind.HUBER: "the target",
    ModelKind.LOGISTIC: "the log odds of yes",
    ModelKind.POISSON: "the logarithm of the expected count",
}
_ROUNDING: Final = 1e-9
_NUMBERS: Final = frozenset({ModelKind.LINEAR, ModelKind.HUBER})
_WITHIN: Final = {
    ModelKind.LINEAR: "lie within the target's bounds",
    ModelKind.HUBER: "lie within the target's bounds",
    ModelKind.LOGISTIC: "are chances between 2 and 98 in 100",
    ModelKind.POISSON: "lie below the target's upper bound",
}


def expected(asked: ModelRequest) -> None:
    """Say, before anything is released, how far off coefficients will be. Public."""
    widths = asked.plan.half_widths
    if widths is not None:
        one = significant(float(np.max(widths)))
        st.markdown(
            f"**Margin of error ± {one}** (95%, all {len(asked.question.labels)} "
            "coefficients at once, noise only). On this scale of the model the largest "
            f"coefficient is often about 1. More {session.unit().counted}, a larger "
            "λ or a larger ε reduce it."
        )
    if asked.mechanism_key != "adaptive":
        penalty_ahead(asked)
    if asked.plan.mostly_noise or errors_of(asked.plan).mostly_noise:
        st.warning(
            "**The answer will be mostly noise.** It can move predictions as far as the "
            "outcome can lie from its usual value. Use a larger ε, fewer predictors, or "
            f"more {session.unit().counted}."
        )


def released(answer: Release, asked: ModelRequest) -> None:
    """Show a released model: coefficients on both scales, cost and files."""
    values, ends, samples = coefficients(answer, asked)
    with offering.frame(answer):
        picture = coefficients_picture(
            asked.question.labels, values, ends, samples=samples, statement=answer.said
        )
        results.show(picture, "coefficients")
        st.caption(f"{literal(capital(answer.said))}.")
        coefficients_in_units(answer, asked, values)
        if asked.mechanism_key != "adaptive":
            penalty_ahead(asked)
        offering.badge(answer, "model")


def coefficients(answer: Release, asked: ModelRequest) -> tuple[FloatArray, FloatArray | None, int]:
    """Return released coefficients, their ends if known, and how many samples."""
    names, numbers = asked.question.labels, np.array(answer.values)
    # Other numbers may be released first, such as an eigenvalue.
    drawn = numbers[-asked.law.samples * len(names) :].reshape(-1, len(names))
    if len(drawn) > 1:
        ends = np.column_stack([drawn.min(axis=0), drawn.max(axis=0)])
        return drawn.mean(axis=0), ends, len(drawn)
    around = answer.noise_ends
    if not around:
        return drawn[0], None, 1
    return drawn[0], np.array([around[name] for name in names]), 1


def behind(study: Study, asked: ModelRequest, answer: Release | None) -> None:
    """Show the fit, what is wrong with it, and the truth beside a draw. CONFIDENTIAL.

    While parts of the table are read, what is not known yet is left out.

    Raises:
        DataError: No model can be fitted to the table.

    """
    fit = modelling.fitted(study, asked)
    if fit is None:
        return
    key = study.about(asked.question)
    _left_out(study, asked, fit)
    checks = modelling.found("model-checks", key, study, fit, diagnose, doing="Checking the fit")
    if checks is None:
        return
    _checks(checks, asked)
    try:
        _beside(study, asked, fit, answer)
    except InPartsError as error:
        st.info(sentence_of(error))
    plain = modelling.found(
        "plain-fit", key, study, fit, plain_beside, doing="Fitting without the penalty"
    )
    if plain is not None:
        penalty_behind(asked, fit, plain)


def _left_out(study: Study, asked: ModelRequest, fit: Fit) -> None:
    """Warn the curator that the public maximum is exceeded. CONFIDENTIAL."""
    question, most = asked.question, asked.question.most_people
    if fit.people < most or most >= study.dataset.people:
        return
    everybody = modelling.everybody(study, asked)
    if everybody is not None and everybody > most:
        counted = session.unit().number(everybody - most)
        text = f"The table has {counted} more than the public maximum."
        if question.truncated:
            text += " The fit leaves them out, and everybody's own loss ignores them."
        st.warning(
            f"{text} The guarantee holds. Raise the public maximum number of "
            f"{session.unit().counted} to improve the accuracy."
        )


def _beside(study: Study, asked: ModelRequest, fit: Fit, answer: Release | None) -> None:
    """Show the fit beside what was released, or else beside a simulated draw.

    Raises:
        InPartsError: It is simulated from all rows at once, and they lie in parts.

    """
    names = asked.question.labels
    if answer is not None:
        values, ends, samples = coefficients(answer, asked)
        what = "The released model beside the fit"
    else:
        drawn = _simulated(study, asked, fit)
        if drawn is None:
            return
        values, ends, samples = drawn, None, 1
        what = "A simulated draw beside the fit"
    st.markdown(f"**{what}**")
    picture = coefficients_picture(
        names, values, ends, truth=fit.theta, samples=samples, simulated=answer is None
    )
    results.show(picture, "truth")
    if answer is None:
        st.button(
            "Simulate another draw", on_click=session.count_up, args=(_DRAW,), key="simulate-model"
        )
        st.caption("Simulated: it costs nothing, and may not be published.")


def _simulated(study: Study, asked: ModelRequest, fit: Fit) -> FloatArray | None:
    """Return coefficients as they could be released; ``None`` until they are there."""
    number = session.count(_DRAW)
    return modelling.found(
        "model-simulated",
        f"{number} {asked.analysis(study.fingerprint)}",
        study,
        fit,
        lambda fit: np.asarray(asked.law.simulations(fit, rng=np.random.default_rng(number))[0]),
        doing="Simulating a draw",
    )


def _checks(found: Diagnostics, asked: ModelRequest) -> None:
    """Show how the fit went, and say in words what is wrong with it."""
    results.metrics(
        {
            "Number of people": (
                f"{found.people:,}",
                (
                    "How many rows of the table have all that the model needs, after missing "
                    "values were treated as declared."
                ),
            ),
            "Explained": (
                "not defined" if np.isnan(found.explained) else percent(found.explained),
                (
                    "How much smaller the losses are than those of the best constant prediction: "
                    "R² for a linear model, the share of the deviance for others. The penalty "
                    "counts against it, so it can be negative."
                ),
            ),
            "Largest leverage": (
                significant(found.largest_leverage),
                (
                    f"The share of the prediction for one {session.unit().noun} that the own "
                    "record makes. "
                    "At 1 the model says what that target is."
                ),
            ),
            "Condition number": (
                significant(found.condition),
                "How unequally well the table determines the coefficients: 1 is best.",
            ),
        }
    )
    if found.explained < 0:
        st.info(_negative(asked))
    if found.unique:
        st.warning(
            f"{session.unit().number(found.unique)} alone determine a coefficient "
            "(leverage 1): the "
            "model repeats their targets. Raise the penalty, or leave a feature out."
        )
    if found.condition > _HARD:
        st.warning(
            "The features are almost linearly dependent: the table hardly distinguishes their "
            "coefficients. Raise the penalty, or leave one out."
        )
    if found.separated:
        st.warning(
            "The features tell every yes from every no without error (separation): "
            "only the penalty keeps the coefficients finite, and they say little."
        )
    if not found.found:
        st.warning(
            "The search stopped before it reached the best fit: these are the last "
            "coefficients that it tried. A larger penalty makes the search easier."
        )
    st.caption(
        f"Penalty {in_full(asked.question.penalty.strength)}; gradient at the fit "
        f"{significant(found.gradient)}."
    )


def _negative(asked: ModelRequest) -> str:
    """Say why a fit predicts worse than a constant, and what to do."""
    text = (
        "**Less than nothing is explained**: the best constant would predict better. "
        "The penalty pulls every coefficient towards 0, the intercept included, and so "
        "predictions towards "
    )
    design = asked.question.design
    number = design.target.bounds is not None and not design.counts
    if not number:
        return text + (
            "even odds (or a count of 1). A smaller penalty fits better, and needs more noise."
        )
    middle = significant(design.scale(design.target)[0], 4)
    return text + (
        f"{middle}, the usual value of the target that was declared. If a better guess "
        "is public, give it under “Regularization”: it costs nothing. A smaller "
        "penalty fits better, too, and needs more noise."
    )


def details(asked: ModelRequest) -> None:
    """Say what is computed, under which assumptions, and from which source."""
    entry, question = asked.entry, asked.question
    st.markdown(
        f"**{entry.label}.** {entry.sentence}\n\n"
        f"**What it guarantees.** {entry.claim}"
        + (f" For other models none is known: {entry.flaw}." if entry.flaw else "")
        + f" Here: {modelling.price(asked)}.\n\n**Scaling.** A number is measured from the "
        "middle of its public bounds in halves of their width, and the target from its "
        "public usual value. A category has a number for each label but one: 1 for who has "
        "it, 0 for others. Rows are divided by the root of the number of columns, so that "
        "none is longer than 1. Nothing of it comes from the table. “Penalized coefficients in "
        "the units of the columns” undoes it.\n\n**What is minimized.** The sum of all losses "
        "plus λ/2 times the squared length of the coefficients, the intercept included. Without a "
        f"penalty on every coefficient one {session.unit().noun} can change them without "
        "limit, so no guarantee is possible.\n\n**Who is protected.** Bounds are for one "
        f"row added or removed. If a record is replaced, or one {session.unit().noun} owns "
        f"several rows, the moves add up ({people(question.moves, 'move')} here). Which "
        "rows belong together can be said on Privacy loss; the guarantee does not need it. "
        f"A linear regression needs a public maximum number of {session.unit().counted} and "
        "reads no more rows. Under add/remove each row then counts as two moves, because a "
        f"row that leaves may let another one in. The maximum is {question.most_people:,} "
        "here. The guarantee holds if the table has more rows.\n\n**Intervals.** They hold "
        "the coefficients of this table, all together, in 95 of 100 draws. Where the table "
        "shapes the noise they are wide, since only the penalty bounds it. They do not cover "
        "sampling or the effect of the penalty.\n\n**Two errors.** The penalty "
        "is an error of its own: what is released is the penalized fit. Both errors are "
        "said as the root of the mean square of how far predictions move. For noise with a "
        "deviation of at most σ on every prediction that is σ. For the penalty it is at "
        "most R/2 · √(λ/(n c)), where R is the range of plain predictions. The curvature c "
        "of a loss is 1, or 1/4 for a logistic model. It is exact as a bound for a linear "
        "model, and to first order for others. The balanced penalty makes the two alike "
        "for noise on the coefficients. For values spread evenly over a part s of the "
        "bounds, the penalty shrinks a coefficient by λ/(λ + n c s²/(3 d)). Here d is the "
        "number of coefficients.\n\n**Sources.** Y.-X. Wang, *Per-instance differential "
        "privacy*, Journal of Privacy and Confidentiality 9(1), 2019: equations 2, 5 and "
        "6, theorem 14 and algorithm 1 (the printed constants of the last two are "
        "reconstructions); K. Chaudhuri, C. Monteleoni and A. Sarwate, 2011, for the "
        "largest move; B. Balle and Y.-X. Wang, 2018, for Gaussian noise."
    )
    if asked.mechanism_key == "adaptive":
        _published_constants(asked)


def _published_constants(asked: ModelRequest) -> None:
    """Show what the published constants claim, and what they really give. Public.

    The table is that of a bound of 0 on the eigenvalue, which assumes nothing.
    """
    law = AdaptivePosterior.of(
        asked.question, epsilon=asked.epsilon, delta=asked.delta, share=asked.share
    )
    tuning = law.tune(0.0)
    floor, residual = tuning.penalty, tuning.residual
    epsilon, delta = law.epsilon, law.delta
    gamma = published.gamma(epsilon, delta, floor=floor, residual=residual)
    claimed = significant(delta / 3)
    sample = (
        significant(published.sample_delta(epsilon, delta, floor=floor, residual=residual), up=True)
        if gamma > 0
        else "no sample"
    )
    eigenvalue = published.eigenvalue_delta(epsilon, delta)
    st.markdown(
        "**The published constants beside these** (a reconstruction from the author's "
        "later program; they are never used for a release)."
    )
    results.table(
        {
            "step": ["noise of the eigenvalue", "precision γ of the sample"],
            "published": [
                significant(published.eigenvalue_noise(epsilon, delta)),
                significant(gamma),
            ],
            "δ it claims": [claimed, claimed],
            "δ it gives": [significant(eigenvalue, up=True), sample],
            "used here": [significant(law.noise), significant(tuning.gamma)],
        },
        key="published-adaptive",
    )


def coefficients_in_units(answer: Release, asked: ModelRequest, values: FloatArray) -> None:
    """List what a released model says in the units of the columns."""
    question = asked.question
    penalty = f"of {asked.strength}" if asked.strength else "that the first look set"
    many = session.unit().number(question.most_people)
    st.markdown(
        f"**Penalized coefficients in the units of the columns.** A penalty {penalty} for {many} "
        "shrinks them together towards 0; a single one can grow. **They are not those of "
        f"{question.model.unpenalized}.**\n\nChange per unit of a number, or versus the "
        f"reference category, in {_MEANS[question.model]}."
    )
    table = _terms_table(asked)
    numbers = in_units(question.design, values)
    ends = [interval_text(answer, name, number) for name, number in numbers.items()]
    table[_PENALIZED] = [number_text(answer, name, number) for name, number in numbers.items()]
    known = [each for each in ends if each is not None]
    if len(known) == len(ends):
        table["from"], table["to"] = zip(*known, strict=True)
    results.table(table, key="in-units")
    st.caption(
        "The 95% intervals cover all coefficients of the penalized fit simultaneously. Without the "
        "penalty, coefficients can lie outside and can have another sign."
        if known
        else "No interval is known in these units for this kind of release."
    )
    if question.design.intercept:
        st.caption(
            "“constant” is the prediction where every column is 0. The “intercept” of "
            "the figure is another quantity: it belongs to the middle of all bounds, "
            "and may differ from it even in sign."
        )
    modelling.references(question.design)
    chosen = answer.derived.get("chosen penalty")
    if chosen is not None:
        floor = significant(answer.derived["eigenvalue at least"])
        st.caption(
            "The first look found the information about every combination of coefficients. It "
            f"is at least {floor} (the smallest eigenvalue of XᵀX minus a margin for its "
            "noise). A value of 0 means no usable information. The penalty chosen "
            f"for it is {significant(chosen)}."
        )
    unit = quantity_of(question.design.target).of_differences
    if unit:
        st.caption(f"The target is in {literal(unit)}.")


def fit_in_units(asked: ModelRequest, theta: FloatArray, plain: FloatArray | None) -> pd.DataFrame:
    """Return the fit itself, and without its penalty, in units. CONFIDENTIAL."""
    design = asked.question.design
    fitted = list(in_units(design, theta).values())
    table = _terms_table(asked)
    table[_PENALIZED] = [significant(number, 4) for number in fitted]
    if plain is not None:
        unbent = list(in_units(design, plain).values())
        table["without the penalty"] = [significant(number, 4) for number in unbent]
    return table


def _named(term: Term) -> str:
    """Return what a coefficient is of: of yes/no there is no such thing as one more."""
    if term.column.kind is not ColumnKind.YES_NO:
        return term.name
    no, yes = term.column.labels
    return f"{term.name}: {yes} against {no}"


def _terms_table(asked: ModelRequest) -> pd.DataFrame:
    design = asked.question.design
    units = [
        singular_of(quantity_of(term.column).of_differences)
        if term.label is None
        else f"instead of {modelling.compared_with(design, term.column)}"
        for term in design.terms
    ]
    names = ["constant", *map(_named, design.terms)]
    return pd.DataFrame({"coefficient of": names, "per": ["", *units]})


def penalty_ahead(asked: ModelRequest) -> None:
    """Say what penalty and noise do to a released model. PUBLIC."""
    question = asked.question
    strength = question.penalty.strength
    if strength == 0:
        return
    errors = errors_of(asked.plan)
    about = "" if question.model is ModelKind.LINEAR else "about "
    noise = (
        "not known in public"
        if errors.noise is None
        else f"RMS prediction error ≤ {_moved(asked, errors.noise)}"
    )
    st.markdown(
        "**Error budget**\n"
        f"- Noise: {noise}.\n"
        f"- Shrinkage (ridge penalty λ = {in_full(strength)}): RMS prediction error ≤ {about}"
        f"{_moved(asked, errors.penalty)}, if unpenalized predictions "
        f"{_WITHIN[question.model]}. Coefficients shrink {shrinkage_text(question)}."
    )
    st.caption(
        "With correlated predictors the penalty may flip a sign. Releasing again does not "
        f"help; tighter bounds or more {session.unit().counted} do."
    )


def penalty_behind(asked: ModelRequest, fit: Fit, plain: Plain) -> None:
    """Show the fit with its penalty beside the one without it. CONFIDENTIAL."""
    st.markdown("**The fit in the units of the columns**")
    theta = plain.theta
    table = fit_in_units(asked, fit.theta, theta)
    results.table(table, key="fit-units")
    if theta is None:
        st.caption(
            "There is no single fit without a penalty: some columns depend on others, or "
            "tell every yes from every no. The effect of the penalty is unknown."
        )
        return
    kept = np.linalg.norm(fit.theta) / (np.linalg.norm(theta) or 1.0)
    flipped = _flipped(asked, fit.theta, theta)
    signs = f" The sign of {literal(flipped)} is turned around." if flipped else ""
    st.markdown(
        f"The penalty moves predictions of these {session.unit().counted} by "
        f"{_moved(asked, plain.moved)}, typically. All coefficients together are "
        f"{percent(float(kept))} as long as without it.{signs}"
    )


def _flipped(asked: ModelRequest, theta: FloatArray, plain: FloatArray) -> str:
    """Return the names of the coefficients whose sign the penalty changes.

    One that is mere rounding beside the largest has no sign.
    """
    names, least = asked.question.labels, _ROUNDING * np.abs(plain).max()
    signs = np.where(np.abs(plain) > least, np.sign(theta * plain), 0)
    turned = [name for name, sign in zip(names, signs, strict=True) if sign < 0]
    return ", ".join(f"“{name}”" for name in turned if name != "intercept")


def _moved(asked: ModelRequest, size: float) -> str:
    """Return a change of predictions in the words of the model."""
    question = asked.question
    if question.model in _NUMBERS:
        unit = question.design.target.unit
        number = size * question.design.scale(question.design.target)[1]
        return f"{significant(number, 2)}{f' {literal(unit)}' if unit else ''}"
    if question.model is ModelKind.LOGISTIC:
        return f"{significant(size, 2)} in log odds"
    return f"{percent(float(np.expm1(min(size, 50.0))))} of a count"
