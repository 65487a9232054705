"""The six places of the app, and the views in each: one script and one link a view.

A place stands in the top bar. Its sections, and the views of the section that is open,
stand in two rows above the page. Links of earlier versions lead to the view of today.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui import session


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """One script: its title above the page and in its row of links, and earlier links."""

    script: str
    title: str
    label: str = ""
    earlier: tuple[str, ...] = ()
    reads_table: bool = True

    @property
    def path(self) -> str:
        """Its file, by which Streamlit knows it."""
        return f"pages/{self.script}.py"

    @property
    def link(self) -> str:
        """What a link to it says."""
        return self.label or self.title


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Views of one subject; of a single view, the name is that of the view."""

    views: tuple[PageView, ...]
    name: str = ""

    @property
    def link(self) -> str:
        """What a link to it says."""
        return self.name or self.views[0].link


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One entry of the top bar; it opens on the first of its views."""

    name: str
    sections: tuple[Section, ...]

    @property
    def views(self) -> tuple[PageView, ...]:
        """All its views, the first one first."""
        return tuple(view for section in self.sections for view in section.views)


def _alone(
    script: str, title: str, *, label: str = "", earlier: str = "", reads_table: bool = True
) -> Section:
    """Return a section of one view."""
    view = PageView(
        script=script,
        title=title,
        label=label,
        earlier=(earlier,) if earlier else (),
        reads_table=reads_table,
    )
    return Section(views=(view,))


PLACES = (
    Place(name="Home", sections=(_alone("home", "Epsilon Studio"),)),
    Place(name="Data", sections=(_alone("data", "Data"),)),
    Place(
        name="Release",
        sections=(
            Section(
                name="Statistic",
                views=(
                    PageView(script="release", title="Release", label="Result"),
                    PageView(script="accuracy", title="Accuracy", earlier=("tradeoffs",)),
                    PageView(script="privacy_loss", title="Privacy loss", earlier=("individual",)),
                    PageView(script="mechanism_test", title="Test"),
                ),
            ),
            _alone("regression", "Regression"),
            _alone("synthetic_data", "Synthetic data", earlier="made_up"),
            Section(
                name="Resampling",
                views=(
                    PageView(script="standard_errors", title="Standard errors"),
                    PageView(script="subsampling", title="Subsampling"),
                    PageView(script="resized", title="Resized bootstrap"),
                ),
            ),
        ),
    ),
    Place(
        name="Plan",
        sections=(
            _alone("plan", "Plan", label="Questions"),
            _alone("compare", "Compare", earlier="decision"),
            _alone(
                "plan_privacy_loss",
                "Privacy loss of the plan",
                label="Privacy loss",
                earlier="touched",
            ),
            _alone("sign_off", "Sign-off"),
        ),
    ),
    Place(
        name="Budget",
        sections=(
            _alone("budget", "Budget", label="History", earlier="ledger"),
            _alone("meaning", "What ε means"),
            _alone("documents", "Documents"),
            _alone("released", "Released results", label="Released", reads_table=False),
            _alone("manage", "Manage the budget", label="Manage"),
        ),
    ),
    Place(
        name="Learn",
        sections=(
            _alone("lessons", "Lessons", reads_table=False),
            Section(
                name="Explore",
                views=(
                    PageView(script="sensitivity", title="Sensitivity explorer", reads_table=False),
                    PageView(script="lab", title="Mechanism lab", reads_table=False),
                    PageView(script="attacks", title="Attacks"),
                    PageView(script="audit", title="Audit", reads_table=False),
                ),
            ),
            Section(
                name="Papers",
                views=(
                    PageView(script="study1", title="Study 1: covariances", reads_table=False),
                    PageView(script="study2", title="Study 2: proportions", reads_table=False),
                    PageView(script="figures12", title="Figures 1 and 2", reads_table=False),
                ),
            ),
            _alone("glossary", "Glossary", reads_table=False),
            _alone("about", "About", reads_table=False),
        ),
    ),
)

VIEWS = {view.script: view for place in PLACES for view in place.views}
"""All views, by their scripts."""


def begin(script: str, sentence: str = "") -> None:
    """Begin the script of a view: with its title, and what one can do here in a sentence."""
    view = VIEWS[script]
    session.require_router(view.path)
    st.title(view.title)
    if sentence:
        st.markdown(sentence)


def place_of(script: str) -> Place:
    """Return the place that a view is in."""
    return next(place for place in PLACES if VIEWS[script] in place.views)


def section_of(script: str) -> Section:
    """Return the section that a view is in."""
    return next(one for one in place_of(script).sections if VIEWS[script] in one.views)


def pages() -> list[StreamlitPage]:
    """Return what is registered: six links, all other views, and earlier links."""
    return [*_shown(), *_hidden(), *_earlier()]


def _shown() -> Iterator[StreamlitPage]:
    for number, place in enumerate(PLACES):
        yield st.Page(place.views[0].path, title=place.name, default=number == 0)


def _hidden() -> Iterator[StreamlitPage]:
    for place in PLACES:
        for view in place.views[1:]:
            yield st.Page(view.path, title=view.title, visibility="hidden")


def _earlier() -> Iterator[StreamlitPage]:
    for view in VIEWS.values():
        for path in view.earlier:
            yield st.Page(_going_to(view), title=view.title, url_path=path, visibility="hidden")


def _going_to(view: PageView) -> Callable[[], None]:
    """Return what opens a view with the settings of an earlier link."""

    def go() -> None:
        session.go(view.path, keep_address=True)

    return go


_ARRIVED: Final = (
    "document.querySelector('[data-testid=stMain]').scrollTop = 0;"
    "if (innerWidth < 768) document.querySelector("
    "'[data-testid=stSidebarCollapseButton] button[aria-expanded=true]')?.click()"
)
"""Streamlit leaves a page scrolled as the one before it was, and on a phone below the menu.

It runs once for each view.
"""


def links(url_path: str) -> None:
    """Show the sections of the place that is open, and the views of its section."""
    script = url_path or PLACES[0].views[0].script
    if script not in VIEWS:
        return
    place, section = place_of(script), section_of(script)
    st.html(_marked(place))
    st.sidebar.html(f"<script>{_ARRIVED} // {script}</script>", unsafe_allow_javascript=True)
    if len(place.sections) > 1:
        with st.container(horizontal=True, key="sections"):
            for one in place.sections:
                st.page_link(one.views[0].path, label=_bold(one.link, one is section))
    if len(section.views) > 1:
        with st.container(horizontal=True, key="views"):
            for view in section.views:
                st.page_link(view.path, label=_bold(view.link, view.script == script))


def _bold(label: str, open_: bool) -> str:  # noqa: FBT001
    return f"**{label}**" if open_ else label


def _marked(place: Place) -> str:
    """Return the rule that marks the open place: its link is that of its first view."""
    first = place.views[0].script
    end = "/" if place is PLACES[0] else f"/{first}"
    return (
        f'<style>[data-testid="stTopNavLink"][href$="{end}"] '
        "{ font-weight: 600; box-shadow: inset 0 -2px 0 currentColor; }</style>"
    )
