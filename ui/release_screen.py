"""The screen of a question: its answer, what it costs and compares to beside it, losses below.

Everything has its place before it is known: nothing moves when the answer arrives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.analyses.base import Mode, Question, Request, offered
from dpcore.analyses.clamping_bias import bias
from dpcore.analyses.measurement import Direct
from dpcore.figures.attackers import surest
from dpcore.figures.individual.people import exposure_picture
from dpcore.figures.one_number import (
    NumberAxis,
    TrueValue,
    expected_picture,
    result_picture,
    share_within,
)
from dpcore.formatting import capital, epsilon_text, percent, significant
from dpcore.inference.intervals import LEVEL, Expectation, expect, noise_half_width
from dpcore.mechanisms.catalog import EVERY
from dpcore.releases.digits import noise_text, number_text, quantity_in
from dpcore.releases.record import Release
from dpcore.studies.comparing import error_curves
from dpcore.studies.comparing.compared_points import ErrorSetting, comparable, each_number
from dpcore.studies.comparing.error_curves import Fairness
from ui import comparing, confidential, controls, exposures, question_form, results, session
from ui.answering import answers, distortion, previews
from ui.answering.numbers import recorded
from ui.live_chart import Film
from ui.study import Study
from ui.text import after_number, literal

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_FILMS = 32
_MARGIN, _WANTED = "release-margin", "_frames_wanted"
_NOTHING = 1e-4
_EVEN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The places of the screen."""

    card: DeltaGenerator
    beside: DeltaGenerator
    curator: DeltaGenerator
    actions: DeltaGenerator


def places() -> Stage:
    """Return the places of the screen, each of them empty.

    The button is above the card: it is in view whatever the card has, and so is the answer
    after it.
    """
    with st.container(key="stage"):
        left, right = st.columns([2, 1])
        actions = left.container(key="act")
        card = left.container(key="card")
        beside = right.container(border=True, key="beside")
        curator = st.container()
    return Stage(card=card, beside=beside, curator=curator, actions=actions)


def is_one_number(asked: Request) -> bool:
    """Tell whether the answer is a single number with noise on it."""
    return isinstance(asked.plan, Direct) and asked.plan.numbers == 1


def show(
    asked: Request, answer: Release | None, study: Study, true: TrueValue | None = None
) -> None:
    """Show what the answer will be like, or what it is."""
    if not is_one_number(asked):
        _several(asked, answer)
        return
    drawn = None if answer is None else true
    frame = "confidential-result" if drawn is not None else _frame(answer)
    with st.container(border=True, key=frame):
        if answer is not None and answer.name:
            st.markdown(f"**{literal(answer.name)}**")
        if drawn is not None:
            st.badge("Confidential: curator only", icon=":material/lock:", color="orange")
        elif answer is not None:
            results.public_badge()
        ahead = expect(asked.mechanism, asked.query.statistic, asked.query.bounds)
        if answer is None:
            _expected(asked, study, ahead)
            previews.remarks(asked, ahead)
        else:
            _answered(asked, answer, study, ahead, true)
            st.caption(_said(asked, answer))
            results.release_files([answer], "answer")


def _said(asked: Request, answer: Release) -> str:
    """Say once what was released, how, at what cost, and what no interval holds."""
    biases = answers.biases_of(asked)
    outside = (
        f" No interval includes the bias from {biases}." if biases and answer.noise_ends else ""
    )
    return (
        f"{literal(capital(asked.statement))}.{outside} "
        f"{literal(answer.mechanism_label)}, noise scale {literal(noise_text(answer))}, drawn by "
        f"{literal(answer.sampler)}. Cost: {previews.price(asked)}. Release {answer.draw} of this "
        "question." + results.charged_with(answer)
    )


def _frame(answer: Release | None) -> str:
    if answer is None:
        return "expected-result"
    return "classroom-answer" if answer.mode is Mode.CLASSROOM else "public-answer"


def _several(asked: Request, answer: Release | None) -> None:
    if answer is not None:
        answers.show(answer, asked)
        return
    with st.container(border=True, key="expected-result"):
        st.markdown(f"**{literal(capital(asked.query.title))}**")
        previews.expected(asked)
        st.caption(f"{literal(capital(asked.statement))}.")


def _expected(asked: Request, study: Study, ahead: Expectation) -> None:
    """Show the margin of error and the noise, which follow a slider of ε."""
    level = share_within(asked.mechanism, _position(asked), ahead.noise)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(key=_MARGIN, width="content"):
            name = f"Margin of error of the {asked.query.title} ({level}, noise only)"
            _heading(asked, name, _margin(asked, ahead))
        controls.HERE.epsilon_slider(key=question_form.EPSILON)
    # Of the same question at any ε.
    one = replace(asked, epsilon=controls.EPSILONS[0])
    exact = math.isclose(asked.effective_epsilon, asked.epsilon)
    epsilons = controls.stops(asked.epsilon) if _is_wanted(one) else (asked.epsilon,)
    film = _film(one, epsilons, study.sampled, exact)
    wanted = partial(session.set_public, _WANTED, one)
    results.show_film(film, asked.epsilon, "answer", on_wanted=wanted)


def _is_wanted(asked: Request) -> bool:
    """Tell whether the slider was reached: frames that nobody sees are not computed."""
    return session.public(_WANTED) == asked


@lru_cache(maxsize=_FILMS)
def _film(asked: Request, epsilons: tuple[float, ...], sampled: bool, exact: bool) -> Film:  # noqa: FBT001
    """Return the noise of a question at each ε. PUBLIC.

    Where the loss is exactly ε, what the attacker learns follows, too.
    """
    bounds, frames = asked.query.bounds, dict[float, tuple[Request, Expectation]]()
    ahead = expect(asked.mechanism, asked.query.statistic, bounds)
    for epsilon in epsilons:
        one = replace(asked, epsilon=epsilon)
        width = noise_half_width(one.mechanism, bounds=bounds, level=LEVEL)
        frames[epsilon] = (one, replace(ahead, noise=width))
    texts: dict[str, Sequence[object]] = {
        _MARGIN: [_margin(*frame) for frame in frames.values()],
        question_form.EPSILON: epsilons,
    }
    if exact:
        texts["beside"] = [_attacker(epsilon, asked.used_delta) for epsilon in epsilons]
    return Film.of(
        controls.slider_of(question_form.EPSILON),
        {
            epsilon: expected_picture(
                one.mechanism,
                _position(one),
                NumberAxis(ahead=width, sampled=sampled, quantity=asked.query.quantity),
                width=bounds.width,
                statement=asked.statement,
            )
            for epsilon, (one, width) in frames.items()
        },
        texts=texts,
        stepped=True,
    )


def _margin(asked: Request, ahead: Expectation) -> str:
    unit = after_number(asked.query.quantity.of_differences)
    return f"± {significant(ahead.noise)}{unit}"


def _heading(asked: Request, name: str, number: str) -> None:
    """Show the number in large type, with its unit."""
    st.metric(literal(name), number, help=literal(f"{capital(asked.statement)}."))


def _answered(
    asked: Request, answer: Release, study: Study, ahead: Expectation, true: TrueValue | None
) -> None:
    label, value = answer.labels[0], float(answer.values[0])
    number = number_text(answer, label, value) + after_number(quantity_in(answer, label).suffix)
    _heading(asked, f"Private {asked.query.title}", number)
    along = NumberAxis(ahead=ahead, sampled=study.sampled, quantity=asked.query.quantity)
    picture = result_picture(value, recorded(answer), along, asked.statement, true=true)
    results.show(picture, "answer")


def _position(asked: Request) -> float:
    """Return the true value that the noise is drawn around."""
    return _setting(asked, asked.query).position if comparable(asked.query) else 0.0


def _setting(asked: Request, query: Question) -> ErrorSetting:
    return ErrorSetting(
        query=query, epsilon=asked.epsilon, delta=asked.used_delta or 1e-6, place=comparing.MIDDLE
    )


def beside(asked: Request) -> None:
    """Show what the release lets an attacker conclude, and how mechanisms compare."""
    noun = session.unit().noun
    told = _attacker(asked.effective_epsilon, asked.used_delta)
    st.markdown(f"**{told}** sure about one {noun}.{previews.given(asked)}")
    st.page_link("pages/meaning.py", label="What ε means")
    if not comparable(asked.query):
        return
    at = _setting(asked, asked.query)
    possible, chosen = offered(asked.query.kind), asked.mechanism_key
    keys = [key for key in dict.fromkeys([*Fairness.TRUE.mechanisms, chosen]) if key in possible]
    each = each_number(asked.query)
    unit = asked.query.quantity.of_differences
    rows = [
        f"| {_chosen(asked) if one.key == asked.mechanism_key else EVERY[one.key].label} | "
        + " | ".join(
            _cell(float(number[0]), float(one.rmse[0]))
            for number in (one.bias, one.spread, one.rmse)
        )
        + " |"
        for one in error_curves.at_setting(at, [*keys])
    ]
    head = f"| {literal(unit)} | bias | SD | RMSE |"
    st.markdown(
        f"**Mechanisms at the same ε{f', {each}' if each else ''}**\n\n"
        + "\n".join([head, "|:--|--:|--:|--:|", *rows])
    )
    st.caption(
        "Bias of the noise, for a true value in the middle of the bounds. Clamping, imputation and "
        "a public minimum add theirs."
    )


def _attacker(epsilon: float, delta: float) -> str:
    return f"Attacker: {percent(_EVEN)} → at most {surest(epsilon, delta=delta)}"


def _chosen(asked: Request) -> str:
    """Mark the chosen mechanism, and say its ε where that is not the one of the others."""
    actual = f" (actual ε = {epsilon_text(asked.effective_epsilon)})"
    return f"**{asked.entry.label}** ◀{actual * (not asked.entry.claim_holds)}"


def _cell(number: float, error: float) -> str:
    return "0" if abs(number) < _NOTHING * error else significant(number)


def curator(asked: Request, study: Study) -> TrueValue | None:
    """Show everybody's loss and the bias, once opened; return the true value for the card.

    CONFIDENTIAL.
    """
    one = is_one_number(asked)
    what = "the true value and everybody's loss" if one else "everybody's loss"

    def draw() -> TrueValue | None:
        true = _bias(asked, study) if one else None
        _losses(asked, study)
        return true

    return confidential.area("release", what, draw)


def _bias(asked: Request, study: Study) -> TrueValue:
    """Say how many values are clamped and missing, and return what the number would be."""
    found = session.remember(
        "bias", study.about(asked.query), lambda: bias(asked.query, study.in_memory)
    )
    distortion.outside(found, asked.query.unit.counted)
    distortion.beyond_the_cap(study.in_memory)
    distortion.tied(asked, study)
    st.caption(literal(f"{distortion.causes_text(found, asked)}."))
    return TrueValue(
        computed=float(found.computed[0]), raw=float(found.raw[0]), bias=float(found.total[0])
    )


def _losses(asked: Request, study: Study) -> None:
    if study.parts is not None:
        st.page_link("pages/privacy_loss.py", label="Privacy loss of everybody")
        return
    relation = asked.query.relation
    losses = exposures.exposed(study, asked, relation)
    picture = exposure_picture(losses, key=asked.mechanism_key, unit=session.unit())
    results.show(picture, "own-loss")
