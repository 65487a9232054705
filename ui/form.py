"""Declared forms: a study states its settings and what it shows as data, and is drawn here.

Every page of a study or an explorer has one layout: title, one sentence, controls in a
row with the rest in a popover, a figure under its takeaway, why, and methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pandas as pd
import streamlit as st

from dpcore.studies.findings import ClaimFinding
from ui import controls, layout, places, results
from ui.controls import Cell, Kept

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_R = TypeVar("_R")
_D = TypeVar("_D")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One control: its label, what it starts from, its key in links, and a note."""

    label: str
    value: Any
    key: str
    note: str | None = None
    kept: Kept = "address"

    def ask(self, cell: Cell) -> object:
        """Show the control, and return what it is set to."""
        raise NotImplementedError

    def read(self, found: Any) -> object:  # noqa: ANN401 - what the control holds
        """Return what a control holds as a setting, once all controls are shown."""
        return found

    @property
    def _shared(self) -> dict[str, Any]:
        return {"key": self.key, "kept": self.kept, "note": self.note}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberSetting(Setting):
    """A box for a number within limits."""

    within: tuple[Any, ...]

    def ask(self, cell: Cell) -> object:
        """Show the box."""
        return cell.number(self.label, self.value, self.within, **self._shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged(NumberSetting):
    """A number that a release is charged by: refused outside its limits."""

    def ask(self, cell: Cell) -> object:
        """Show the box."""
        return cell.charged(
            self.label, self.value, self.within, key=self.key, kept=self.kept, note=self.note or ""
        )

    def read(self, found: Any) -> object:  # noqa: ANN401 - what was typed
        """Return the number.

        Raises:
            ParameterError: It is outside its limits.

        """
        return found.inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide(NumberSetting):
    """A slider of numbers."""

    shape: str | None = None

    def ask(self, cell: Cell) -> object:
        """Show the slider."""
        return cell.slider(self.label, self.value, self.within, format=self.shape, **self._shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed(Setting):
    """The seed of a simulation."""

    label: str = "Seed"
    value: int = 1

    def ask(self, cell: Cell) -> object:
        """Show the box."""
        return cell.seed(self.label, self.value, key=self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked(Setting):
    """A box to be ticked."""

    value: bool = False

    def ask(self, cell: Cell) -> object:
        """Show the box."""
        return cell.checkbox(self.label, value=self.value, **self._shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Setting):
    """Several numbers in one line."""

    kind: type[int | float] = float

    def ask(self, cell: Cell) -> object:
        """Show the line."""
        return cell.numbers(
            self.label, self.value, key=self.key, kept=self.kept, note=self.note or ""
        )

    def read(self, found: Any) -> object:  # noqa: ANN401 - a text
        """Return the numbers.

        Raises:
            ParameterError: There is something else in it.

        """
        return controls.listed(found, self.kind, self.label.partition(" (")[0].lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceSetting(Setting):
    """One of some options, with what each is called; the first one if none is said."""

    options: Sequence[Any]
    value: Any = None
    named: Callable[[Any], str] = str

    def ask(self, cell: Cell) -> object:
        """Show the list."""
        options = list(self.options)
        start = options.index(self.value) if self.value in options else 0
        return cell.selectbox(
            self.label, options, index=start, format_func=self.named, **self._shared
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Several(ChoiceSetting):
    """Any of some options, in their order."""

    def ask(self, cell: Cell) -> object:
        """Show the list."""
        chosen = cell.place.multiselect(
            self.label,
            list(self.options),
            default=list(self.value),
            format_func=self.named,
            key=self.key,
            help=self.note,
            **controls.KEPT[self.kept],
        )
        return tuple(one for one in self.options if one in chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops(ChoiceSetting):
    """One of some numbers, on a slider."""

    def ask(self, cell: Cell) -> object:
        """Show the slider."""
        return cell.place.select_slider(
            self.label,
            list(self.options),
            self.value,
            format_func=self.named,
            key=self.key,
            help=self.note,
            **controls.KEPT[self.kept],
        )


_MORE, _LETTER = 0.45, 0.065
Asked = Setting | Callable[[Mapping[str, Any]], Setting | None]
"""A setting, or which one there is, if any, by what those before it are set to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsForm:
    """Controls by the names of what they set: those in rows, and all others.

    ``widths`` are those of the controls in a row; without them, one row has them all.
    All others stand in a popover, which is ``called`` so.
    """

    row: Mapping[str, Asked]
    more: Mapping[str, Asked] = field(default_factory=dict)
    widths: tuple[float, ...] = ()
    called: str = "More"

    def ask(self) -> dict[str, Any]:
        """Show the controls, and return what they are set to, by name.

        Raises:
            ParameterError: A list of numbers holds something else.

        """
        widths = self.widths or (1.0,) * len(self.row)
        spec = (*widths, max(_MORE, _LETTER * len(self.called))) if self.more else widths
        rows: list[list[DeltaGenerator]] = []
        known: dict[str, Setting] = {}
        shown: dict[str, Any] = {}

        def cells() -> Iterator[Cell]:
            while True:
                rows.append(st.columns(spec, vertical_alignment="bottom"))
                yield from (Cell(place=place) for place in rows[-1][: len(widths)])

        def show(settings: Mapping[str, Asked], cells: Iterator[Cell]) -> None:
            for name, one in settings.items():
                setting = one if isinstance(one, Setting) else one(shown)
                if setting is not None:
                    known[name], shown[name] = setting, setting.ask(next(cells))

        show(self.row, cells())
        if self.more:
            with rows[-1][-1].popover(self.called, width="stretch"):
                show(self.more, repeat(controls.HERE))
        return {name: one.read(shown[name]) for name, one in known.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """A view with settings of its own, which are handed to what draws it by name."""

    form: SettingsForm
    show: Callable[..., None]

    def __call__(self, *about: object) -> None:
        """Ask and draw; where settings do not go together, say so."""
        with controls.valid(ends=False):
            self.show(*about, **self.form.ask())


def _itself(design: Any) -> Any:  # noqa: ANN401 - a run that is its design
    return design


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredStudy(Generic[_D, _R]):
    """A study of a source: what is set, what is run, and what is shown of it.

    Attributes:
        key: Its name in keys and files.
        view_key: The key of its tabs, which stands in links.
        sentence: What a reader can do here, in one sentence.
        form: Its settings.
        design: Makes a design of the settings. It raises where they do not go together.
        run: Runs a design, and returns what is known of it: the design itself, if not said.
        views: What is shown of a run, by tabs; the first one is the answer.
        own: The view of the table in use, if one is: it comes first where there is a table.
        why: Explains the answer with its numbers, in two sentences.
        claims: What the source says, and what became of it.
        numbers: Every number of a run, as a table.
        methods: Definitions, assumptions, and the source, or what says them of a run.
        older: What links of earlier versions call settings, by their keys.

    """

    key: str
    view_key: str
    sentence: str
    form: SettingsForm
    design: Callable[..., _D]
    run: Callable[[_D], _R] = field(default=_itself)
    views: Mapping[str, Callable[[_R], None]]
    why: Callable[[_R], str]
    claims: Callable[[_R], Sequence[ClaimFinding]] | None = None
    numbers: Callable[[_R], pd.DataFrame] | None = None
    methods: str | Callable[[_R], str]
    own: str = ""
    older: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def explore(script: str, sentence: str, show: Callable[[], None], *, methods: str) -> None:
    """Draw the page of an explorer, whose views have settings of their own."""
    places.begin(script, sentence)
    shown = st.container()
    # Before the views, which may end the page.
    layout.methods(methods)
    with shown, controls.valid(ends=False):
        show()


_SLIDE = "slide"
_ONE_SLIDE = """
<style>
html { font-size: 20px !important; }
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stHeader"], .st-key-sections, .st-key-views, .st-key-study-form,
.st-key-study-methods, [class*="st-key-twin-"], .st-key-study-answer [role="tablist"] {
  display: none !important;
}
[data-testid="stMainBlockContainer"] { max-width: 64rem; margin: 0 auto; padding-top: 1rem; }
</style>
"""


def draw(script: str, study: DeclaredStudy[Any, Any]) -> None:
    """Draw the page of a study."""
    places.begin(script, study.sentence)
    for key, words in study.older.items():
        controls.read_older(key, words)
    with st.container(key="study-form"):
        with controls.valid():
            design = study.design(**study.form.ask())
        run = study.run(design)
    views = dict(layout.own_first(study.views, study.own) if study.own else study.views)
    if study.claims is not None:
        views["Claims"] = partial(_claims, study.claims)
    with st.container(key="study-answer"):
        layout.show(views, run, key=study.view_key)
    st.markdown(study.why(run))
    with st.container(key="study-methods"), st.expander("Methods and data"):
        said = study.methods
        st.markdown(said if isinstance(said, str) else said(run))
        if study.numbers is not None:
            numbers = study.numbers
            results.table_files(lambda: numbers(run), study.key, study.key)
    if st.toggle("Slide", key=_SLIDE, bind="query-params", help="Only the answer, in large type."):
        st.html(_ONE_SLIDE)


def _claims(claims: Callable[[_R], Sequence[ClaimFinding]], run: _R) -> None:
    found = claims(run)
    if not found:
        st.info("Claims are checked once the run is complete.")
    results.verdicts(found)
