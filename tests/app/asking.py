"""A curator's own table in process: declared, asked, and followed over the pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from streamlit.navigation.page import StreamlitPage

from dpcore.formatting import significant
from dpcore.mechanisms.catalog import EVERY
from dpcore.releases.digits import cost_text
from dpcore.releases.record import Release
from tests.app.beginnings import begun_once
from tests.app.test_pages import by_label, charts, in_use, price, put_in_use
from tests.app.test_questions import release, set_to, shown

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.testing.v1 import AppTest
    from streamlit.testing.v1.element_tree import Dataframe


PEOPLE = 240
# Each column has gaps, and "east" is on no public list.
SURVEY = "age,income,weight,region,smoker\n" + "".join(
    f"{'' if i % 40 == 0 else 18 + i * i % 71},"
    f"{'' if i % 30 == 0 else 500 + 37 * i % 4000},"
    f"{55 + i * 7 % 40},"
    f"{('north', 'south', 'west', 'south', 'east', '')[i * 7 % 13 % 6]},"
    f"{'' if i % 50 == 0 else ('yes', 'no')[i % 3 > 0]}\n"
    for i in range(PEOPLE)
)
BOUNDS = {"age": (0.0, 100.0), "income": (0.0, 5000.0), "weight": (30.0, 150.0)}
COLUMNS = ("age", "income", "weight", "region", "smoker")
# What a browser keeps in the address of a page; in process nobody does.
ADDRESS = ("statistic", "epsilon", "delta", "split", "quantile", "bins", "syntheses")


def go(app: AppTest, name: str) -> AppTest:
    """Follow the link of a page as a browser does.

    It keeps public settings in the address, and does not send what the widgets of the
    page that it leaves were set to.
    """
    for key in ADDRESS:
        if key in app.session_state:
            app.query_params[key] = str(app.session_state[key])
    if "mechanism" in app.session_state:
        label = EVERY[app.session_state["mechanism"]].label
        app.query_params["mechanism"] = label
    kept = dict(app.query_params)
    with pytest.MonkeyPatch.context() as bare:
        bare.setattr(StreamlitPage, "run", lambda _: None)
        app.switch_page("pages/about.py").run()
    app.query_params.update(kept)
    app.switch_page(f"pages/{name}.py").run()
    return app


@begun_once
def use_survey(
    open_page: Callable[[str], AppTest], *, text: str = SURVEY, budget: float = 100.0
) -> AppTest:
    """Upload the table, declare all of its columns, and take it into use."""
    app = open_page("data")
    app.file_uploader[0].set_value(("survey.csv", text.encode(), "text/csv")).run()
    for place, name in enumerate(COLUMNS):
        choose(app, "Column", place)
        if name in BOUNDS:
            lower, upper = BOUNDS[name]
            set_to(app, "number_input", "Lower bound", lower)
            set_to(app, "number_input", "Upper bound", upper)
        elif name == "region":
            choose(app, "Type", "category")
            set_to(app, "text_area", "Public list of categories", "north\nsouth\nwest")
    choose(app, "Column", 0)
    set_to(app, "number_input", "Privacy budget ε", budget)
    put_in_use(app)
    assert in_use(app), shown(app)
    return app


def choose(app: AppTest, label: str, option: object) -> AppTest:
    """Choose an option of a selectbox, by its value."""
    return set_to(app, "selectbox", label, option)


def rows(app: AppTest) -> pd.DataFrame:
    """Return the grid on Data, by the names of columns, with what was typed over it."""
    editor = _editor(app, "if missing")
    frame, key = editor.value, f"grid-{editor.proto.id.rpartition('-grid-')[2]}"
    typed = app.session_state[key]["edited_rows"] if key in app.session_state else {}
    for row, cells in typed.items():
        frame.loc[int(row), [*cells]] = [*cells.values()]
    return frame.set_index("column")


def edit(app: AppTest, cells: dict[int, dict[str, object]]) -> AppTest:
    """Type into the grid on Data: cells by row and field."""
    return _typed(app, "if missing", cells)


def edit_shares(app: AppTest, rows: dict[int, tuple[float, bool]]) -> AppTest:
    """Type shares and set locks in the editor, which has no test element."""
    edited = {
        row: {"share of the budget, %": share, "locked": locked}
        for row, (share, locked) in rows.items()
    }
    return _typed(app, "locked", edited)


def _editor(app: AppTest, field: str) -> Dataframe:
    (editor,) = (frame for frame in app.dataframe if field in frame.value)
    return editor


def _typed(app: AppTest, field: str, edited: Mapping[int, Mapping[str, object]]) -> AppTest:
    """Set the state of an editor, which has no test element."""
    states = app._tree.get_widget_states()  # noqa: SLF001 - no public way
    states.widgets.add(
        id=_editor(app, field).proto.id,
        string_value=json.dumps({"edited_rows": edited, "added_rows": [], "deleted_rows": []}),
    )
    return app._run(states)  # noqa: SLF001


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the pages showed of one question."""

    title: str
    answer: tuple[float, ...]
    epsilon: float
    individual: dict[str, str] = field(repr=False)
    exposed: list[str]
    tradeoffs: str


def follow(app: AppTest, records: list[Release]) -> Seen:
    """Release the question on screen and look at it on every page.

    The price is what the ledger is charged, and nobody loses more than the guarantee.
    ``records`` is where releases are noted as they are made.
    """
    cost = price(app)
    release(app)
    assert "Released so far" in [header.value for header in app.header]
    newest = app.dataframe[-1].value.iloc[0]
    record = records[-1]
    assert newest["question"] == record.title
    assert newest["privacy cost"] == cost == cost_text(record.cost)
    epsilon = float(record.cost.epsilon)
    listed = spent(app)
    assert len(listed) == len(records)
    assert listed[-1] == (newest["question"], newest["privacy cost"])
    individual, exposed = losses(app)
    return Seen(
        title=record.title,
        answer=record.values,
        epsilon=epsilon,
        individual=individual,
        exposed=exposed,
        tradeoffs=comparison(go(app, "accuracy")),
    )


def spent(app: AppTest) -> list[tuple[str, str]]:
    """Return what the ledger lists, oldest first; its total is the sum."""
    go(app, "budget")
    if "Nothing has been released yet." in shown(app):
        return []
    listing = next(d.value for d in app.dataframe if "privacy cost" in d.value)
    costs = [cost.removeprefix("ε = ").split(",")[0] for cost in listing["privacy cost"]]
    total = sum(map(float, costs))
    assert by_label(app.metric, "Spent").value.startswith(f"ε = {significant(total)}")
    return list(zip(listing["question"], listing["privacy cost"], strict=True))[::-1]


def losses(app: AppTest) -> tuple[dict[str, str], list[str]]:
    """Open Individual privacy; return its numbers, and the columns of its list."""
    go(app, "privacy_loss")
    if app.toggle and not app.toggle[0].value:
        app.toggle[0].set_value(True).run()
    assert not app.error, [error.value for error in app.error]
    individual = {metric.label: metric.value for metric in app.metric}
    guarantee = number(individual["Guarantee (DP)"])
    assert 0 < number(individual["Largest loss here"]) <= guarantee
    assert number(individual["Worst case, this table"]) <= guarantee
    listed = next(d.value for d in app.dataframe if "own epsilon" in d.value)
    assert len(listed) == 10
    assert listed["own epsilon"].is_monotonic_decreasing
    assert not listed.isna().to_numpy().any()
    return individual, list(listed.columns)


def comparison(app: AppTest) -> str:
    """Return the title of the picture on Accuracy."""
    assert not app.info
    assert len(charts(app)) == 1
    return next(m.value for m in app.markdown if m.value.startswith("**")).replace("\\", "")


def number(text: str) -> float:
    """Return a number as it is shown."""
    return float(text.removeprefix("ε ").replace(",", "").replace("−", "-"))
