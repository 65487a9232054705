"""The parts of the Release page: price and error before, the answer after."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dpcore.data.columns import MissingPolicy
from dpcore.figures import answers as figures
from dpcore.figures.wording import epsilon_text, measured, significant
from dpcore.inference.expectation import expect
from dpcore.inference.intervals import LEVEL, Intervals
from dpcore.releases.record import Mode
from ui import accounts, inputs, results, session
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.releases.account import Account
    from dpcore.releases.record import Release
    from dpcore.releases.transaction import Request
    from ui.study import Study

_DRAWS = 200
_LESSON = "_lesson"


def price(asked: Request) -> str:
    """Return the cost of a release in words."""
    text = f"ε {epsilon_text(asked.real_epsilon)}"
    if asked.used_delta:
        text += f", δ {significant(asked.used_delta)}"
    return text


def preview(asked: Request, account: Account) -> None:
    """Show the expected error and the price. Public numbers only."""
    unit = f" {asked.query.unit_text}" if asked.query.unit_text else ""
    ahead = expect(asked.mechanism, asked.query.statistic, asked.query.bounds)
    cost = asked.cost
    fits = account.budget.admits(account.spent, cost)
    first, second, third, fourth = st.columns(4)
    first.metric(
        "Noise, 95 times of 100",
        f"± {significant(ahead.noise)}{unit}",
        help="Before you pay, at worst: how far a release falls from the value of this "
        "table, wherever that lies.",
    )
    second.metric(
        "Typical noise, at most",
        f"{significant(ahead.typical)}{unit}",
        help="Root mean squared error of the noise at the least favorable position.",
    )
    third.metric(
        "Sampling error, at most",
        _limit(ahead.sampling, unit),
        help="What the table itself may be off from its population (95 %). No "
        "mechanism can remove it; noise far below it costs nothing that matters.",
    )
    fourth.metric(
        "Price",
        price(asked),
        delta=f"{accounts.short(account.budget, account.remaining)} left"
        if fits
        else "more than is left",
        delta_color="off" if fits else "inverse",
        delta_arrow="off",
        help="Charged once. “ε” is the privacy really given, not the one asked for.",
    )
    width = asked.query.bounds.width
    if 2 * ahead.noise >= width:
        st.warning(
            f"This answer will say almost nothing: the noise alone spans ± "
            f"{significant(ahead.noise)}{unit}, and all possible answers lie within "
            f"{significant(width)}{unit}. Spend more, or ask for a mean or a share."
        )
    title = asked.query.title
    st.caption(
        f"{literal(title[0].upper() + title[1:])}. {inputs.odds(asked.real_epsilon)}."
    )


def explain_price(asked: Request, account: Account) -> None:
    """Say that the budget is too small, and what can be done."""
    st.warning(
        f"This costs {price(asked)}, and "
        f"{accounts.short(account.budget, account.remaining)} is left. Ask with a "
        "smaller ε, or change the budget on the Ledger page."
    )


def explain_refusal(asked: Request) -> None:
    """Say why this mechanism cannot be used in Release mode, and what to use."""
    if not asked.entry.releasable:
        st.warning(
            f"“{asked.entry.label}” has no secure sampler: noise from ordinary floats "
            "would reveal the true value. It can be studied on the other pages; for a "
            "release choose “Laplace” or “Gaussian (analytic)”."
        )
        return
    st.warning(
        f"This mechanism claims ε {epsilon_text(asked.epsilon)} and really gives ε "
        f"{epsilon_text(asked.real_epsilon)}: {asked.entry.flaw}. It can be studied in "
        "Classroom mode; for a release choose “Truncated Laplace, calibrated”, “BIT "
        "Laplace” or “Gaussian (analytic)”."
    )


def show(answer: Release, asked: Request) -> None:
    """Show a sanitized answer with its intervals, cost and downloads."""
    watermark = answer.mode is Mode.CLASSROOM
    values = np.array(answer.values)
    around = _recorded(answer)
    frame = "classroom-answer" if watermark else "public-answer"
    with st.container(border=True, key=frame):
        results.public_badge()
        if len(values) == 1:
            value, noise = float(values[0]), around.noise[0]
            unit = f" {asked.query.unit_text}" if asked.query.unit_text else ""
            st.metric(
                f"Sanitized {literal(asked.query.title)}",
                f"{measured(value, float(noise[1] - noise[0]) / 2)}{unit}",
            )
            picture = figures.answer_picture(
                float(values[0]),
                around,
                axis=asked.query.title,
                unit=asked.query.unit_text,
                watermark=watermark,
            )
        else:
            picture = figures.histogram_picture(
                answer.labels,
                values,
                around,
                axis=asked.query.column.name,
                truth=None,
                watermark=watermark,
            )
        results.show(picture, "answer")
        st.markdown(
            f"Cost: {price(asked)}. Draw {answer.draw} of this question, "
            f"{literal(answer.mechanism_label)}, noise scale "
            f"{significant(answer.noise)}, drawn by {literal(answer.sampler)}."
        )
        st.caption(_missing(asked))
        results.downloads([answer], "answer")


def lesson(answer: Release, asked: Request, study: Study) -> None:
    """Show the truth and repeated draws. Classroom mode only."""
    if session.mode() is not Mode.CLASSROOM:
        return
    truth = session.remember(
        "truth",
        asked.analysis(study.fingerprint),
        lambda: asked.query.statistic.value(asked.query.values(study.dataset)),
    )
    with st.container(border=True, key="classroom-lesson"):
        st.badge("Classroom: true values", icon=":material/school:", color="gray")
        if len(truth) > 1:
            picture = figures.histogram_picture(
                answer.labels,
                np.array(answer.values),
                _recorded(answer),
                axis=asked.query.column.name,
                truth=truth,
                watermark=True,
            )
        else:
            st.button(f"Repeat {_DRAWS} draws", on_click=_another_lesson)
            rng = np.random.default_rng(_lesson())
            picture = figures.draws_picture(
                asked.mechanism_key,
                asked.mechanism.simulate(truth[0], rng=rng, size=(_DRAWS,)),
                truth=float(truth[0]),
                released=float(answer.values[0]),
                bias=float(asked.mechanism.bias(truth[0])),
                axis=asked.query.title,
                unit=asked.query.unit_text,
            )
        results.show(picture, "lesson")


def details(asked: Request) -> None:
    """Say what is computed, under which assumptions, and from which source."""
    sensitivity = asked.query.sensitivity
    st.markdown(
        f"**{asked.entry.label}.** {asked.entry.sentence}\n\n"
        f"**Sensitivity.** One {asked.query.unit.noun} can move the "
        f"{asked.query.kind} by at most {significant(sensitivity.largest, 6)} "
        f"({asked.query.relation.phrase}).\n\n"
        f"**Noise scale.** {significant(asked.mechanism.noise, 6)}.\n\n"
        "**Intervals.** “Noise alone” holds the statistic of this table, “with "
        "sampling” the quantity of the population behind it, as if the table were a "
        "simple random sample. The sampling error is bounded from public numbers, so "
        "the second interval is on the wide side."
    )


def _recorded(answer: Release) -> Intervals:
    """Return the intervals that were computed with the answer."""
    kept = answer.intervals
    nothing = dict.fromkeys(answer.labels, (-np.inf, np.inf))
    noise, total = (kept.noise, kept.total) if kept is not None else (None, None)
    return Intervals(
        level=kept.level if kept is not None else LEVEL,
        noise=np.array([(noise or nothing)[label] for label in answer.labels]),
        total=np.array([(total or nothing)[label] for label in answer.labels]),
    )


def _limit(sampling: float, unit: str) -> str:
    if np.isinf(sampling):
        return "depends on the answer"
    return f"± {significant(sampling)}{unit}"


def _lesson() -> int:
    return cast("int", session.public(_LESSON) or 1)


def _another_lesson() -> None:
    session.set_public(_LESSON, _lesson() + 1)


def _missing(asked: Request) -> str:
    column = asked.query.column
    if column.missing is MissingPolicy.DROP:
        return (
            "People without a value were left out: the answer is about the others, and "
            "averages divide by at least the public minimum of people."
        )
    return (
        f"People without a value, if any, count as {literal(str(column.replacement))}. "
        "The intervals do not cover the error that this makes."
    )
