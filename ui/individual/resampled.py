"""Everybody's loss from a number that resamples answer. CONFIDENTIAL, but controls."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial

import streamlit as st

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.reading import ResampledRequest
from dpcore.analyses.resized import ResizedRequest
from dpcore.figures.individual.one_person import bounds_picture, delta_text
from dpcore.formatting import epsilon_text
from dpcore.individual.published_bounds import epsilon_at, profile
from dpcore.mechanisms.person_laws import PersonLaws
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.hypothesis_tests import laws_of_statistic
from ui import controls, exposures, results, session
from ui.individual import everybody, one_person, statistic_losses
from ui.individual.one_person import Person
from ui.individual.subject import ResampledSubject
from ui.resampling import resized_column, standard_errors_settings, subsampling_release
from ui.study import Study

_USUAL_DELTA = 1e-6
_EXACT = "Exact for everybody"


class Resampling(StrEnum):
    """How a number comes from resamples."""

    BOOTSTRAPS = "several noisy bootstraps"
    SAMPLE = "a secret sample with noise"
    RESIZED = "one small resample with noise (resized bootstrap, repaired)"


def ask(study: Study) -> ResampledRequest:
    """Show the controls of a number from resamples and return what is asked.

    Where it cannot be asked yet, the page stops below the explanation.
    """
    way = Resampling(
        controls.HERE.selectbox(
            "Drawn from",
            [way.value for way in Resampling],
            key="resampled-way",
            note="The pages “Standard errors”, “Subsampling” and “Resized bootstrap” "
            "explain these, and release them.",
        )
    )
    request: ResampledRequest | None
    with controls.valid():
        if way is Resampling.BOOTSTRAPS:
            request = standard_errors_settings.ask(study)
        elif way is Resampling.SAMPLE:
            request = subsampling_release.ask(study)[1]
        else:
            request = resized_column.ask(study)[0].request
    if request is None:
        session.end_page()
    return request


def compared(asked: ResampledRequest) -> str:
    """Say what everybody's loss compares the table with."""
    if asked.query.relation is NeighboringRelation.ADD_REMOVE:
        return f"What if the {session.unit().noun} had not been there?"
    return (
        f"What if the {session.unit().noun}'s record had been another? The number of "
        f"{session.unit().nouns} who are "
        f"drawn is fixed, so that there is no table without the {session.unit().noun} "
        "to compare with."
    )


def subject(study: Study, asked: ResampledRequest) -> ResampledSubject:
    """Return what is asked for with everybody's loss from it. CONFIDENTIAL."""
    relation = asked.query.relation
    with st.spinner("Looking at everybody …", show_time=True):
        found = exposures.exposed(study, asked, relation)
    exposure = replace(found, upper=not _exactness(asked).startswith(_EXACT))
    return ResampledSubject(request=asked, exposure=exposure, relation=relation)


def show(subject: ResampledSubject, study: Study) -> None:
    """Show everybody's loss."""
    asked = subject.request
    everybody.show(
        subject.exposure,
        asked,
        remarks=partial(st.caption, _exactness(asked)),
        most_exposed=partial(statistic_losses.most_exposed, subject.exposure, asked, study),
        groups=partial(everybody.groups, subject, study),
        closer=partial(everybody.moments, subject, study),
    )


def person(subject: ResampledSubject, study: Study) -> None:
    """Show what an attacker can tell about one person at best."""
    chosen = one_person.choose(subject, study, "one-person")
    if chosen is None:
        return
    key = f"{subject.identity(study)} {chosen.entry}"
    with st.spinner("Looking for the best test …"):
        laws = session.remember(
            "resampled-laws",
            key,
            lambda: laws_of_statistic(subject.request, subject.exposure, chosen.entry, label=""),
        )
    one_person.attacker(subject, chosen, laws)
    _profile(subject, chosen, laws)
    st.caption(
        "The sample is random, so no chart shows the two laws of one release. The numbers "
        "above hold for the best attacker whatever is drawn."
    )


def no_what_if(*_: object) -> None:
    """Say that records are not moved here."""
    st.info(
        f"Moving {session.unit().indefinite}, or adding others like them, is not "
        "worked out for resamples. "
        "Choose “a number (statistic)” above: who is far from the others there is far "
        "from them in a resample, too."
    )


def no_publishing(*_: object) -> None:
    """Say that the attacks are shown for another release."""
    st.info(
        "Losses from resamples are as confidential as all the others. To see the attacks and "
        "the alternatives, choose “a number (statistic)” or “a regression model” above."
    )


def definitions() -> str:
    """Define what a person loses by a resample."""
    return (
        f"**From resamples.** One {session.unit().noun} in a *secret sample* is not always "
        "drawn. If everybody is drawn with the same probability, the loss follows from "
        "their change in the sample. Subsampling amplifies privacy (Balle, Barthe and "
        "Gaboardi 2018, theorem 8). If the sample size is fixed, another row replaces "
        f"{session.unit().indefinite} outside the sample. Then their distance counts as well "
        "(theorem 9). The loss shown assumes that the sample is known, or is "
        f"the guarantee if that is less. In *bootstraps* {session.unit().indefinite} is drawn "
        "several times or never; their loss assumes that the number of copies is known, "
        "because other records may reveal it. It never exceeds the guarantee. A *resized "
        "bootstrap* with noise is counted likewise for numbers, and exactly for shares. As "
        f"many {session.unit().nouns} are drawn as there are, or a fixed part. So these "
        f"losses compare with another record in the {session.unit().noun}'s place."
    )


def _exactness(asked: ResampledRequest) -> str:
    if isinstance(asked, BootstrapRequest):
        return (
            "Each loss is an upper bound, for a release that also reveals how often the "
            f"{session.unit().noun} was drawn, or the guarantee where that is less."
        )
    if isinstance(asked, ResizedRequest):
        exact = asked.shares and asked.delta == 0
        return f"{_EXACT}." if exact else "Each loss is an upper bound."
    return subsampling_release.exactness(asked)


def _profile(subject: ResampledSubject, person: Person, laws: PersonLaws) -> None:
    exposure = subject.exposure
    delta = exposure.delta or _USUAL_DELTA
    own = person.epsilon if exposure.delta > 0 else epsilon_at(laws, delta)
    st.markdown(
        f"The more δ is allowed, the less is ε: at {delta_text(delta)} this "
        f"{session.unit().noun}'s "
        f"is {epsilon_text(own)} at most."
    )
    picture = bounds_picture(
        profile(laws), delta=delta, own=own, key=subject.request.mechanism_key, exact=False
    )
    results.show(picture, "person-bounds")
