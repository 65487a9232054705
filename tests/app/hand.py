"""A hand at the controls of a page in process, which does what a browser does.

A browser sends the state of every widget with each run, and keeps what bound controls
were set to in the address: a page that is left with a setting in its address is what
tests in process otherwise never see.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.testing.v1.element_tree import Block, Button, DownloadButton, Widget

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

_SAID = re.compile(r"From (\S+) to (\S+)\.$")
_TEXTS = ("", "0", "-1", "1e308", "1e-308", "1e400", "9" * 400, "x", ",;", "nan")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def controls(app: AppTest) -> list[Widget]:
    """Return what can be set on the page, in the order of the page."""
    return [
        widget
        for widget in nodes(app)
        if isinstance(widget, Widget)
        and not isinstance(widget, Button | DownloadButton)
        and widget.type != "file_uploader"
        and not getattr(widget.proto, "disabled", False)
    ]


def buttons(app: AppTest) -> list[Button]:
    """Return the buttons that can be pressed."""
    return [b for b in app.button if not b.proto.disabled]


def views(app: AppTest) -> dict[str, list[Any]]:
    """Return, by key, the tabs and the folded parts that the server hears of."""
    found: dict[str, list[Any]] = {}
    for block in nodes(app):
        proto = getattr(block, "proto", None)
        key = user_key_from_element_id(getattr(proto, "id", None) or "")
        if not isinstance(block, Block) or not key:
            continue
        if block.type == "tab_container":
            found[key] = [tab.label for tab in block.children.values()]
        elif block.type in {"expander", "popover"}:
            found[key] = [True]
    return found


def turn(app: AppTest, key: str, view: Any) -> None:
    """Open a tab, or unfold a part."""
    app.session_state[key] = view
    app.run()


def step(app: AppTest, widget: Widget) -> None:
    """Move a control by one step, or to its next option."""
    put(app, widget, following(widget))


def extremes(widget: Widget) -> list[Any]:
    """Return what a browser can send at the ends of a control: numbers and texts.

    A browser sends no number outside the control's bounds, and none beyond all numbers.
    Where the page judges by itself what it takes, the help says so.
    """
    match widget.type:
        case "number_input":
            least, most = _bounds(widget)
            said = _SAID.search(widget.help or "")
            ends = said.groups() if said else ()
            inside = [plain_number(end) for end in ends]
            return [*inside, least, most, *([0.0] if least < 0 < most else [])]
        case "slider":
            several = isinstance(widget.value, list | tuple)
            return [[end] * (1 + several) for end in (widget.min, widget.max)]
        case "text_input" | "text_area":
            return list(_TEXTS)
        case _:
            return []


def plain_number(text: str) -> float:
    """Return a number as pages write it.

    >>> plain_number("10⁻⁹"), plain_number("2.5 × 10⁻⁹"), plain_number("−1,000")
    (1e-09, 2.5e-09, -1000.0)
    """
    factor, _, power = text.replace(",", "").replace("−", "-").rpartition("10⁻")
    if not power or not set(power) <= set(_RAISED):
        return float(text.replace(",", "").replace("−", "-"))
    digits = power.translate(str.maketrans(_RAISED, "0123456789"))
    return float(f"{factor.removesuffix(' × ') or 1}e-{digits}")


def put(app: AppTest, widget: Widget, value: Any) -> None:
    """Set a control as its browser would: text for options, numbers for numbers."""
    states = app._tree.get_widget_states()  # noqa: SLF001 - no public way
    state = next((one for one in states.widgets if one.id == widget.id), None)
    if state is None:
        state = states.widgets.add(id=widget.id)
    match widget.type:
        case "checkbox" | "toggle":
            state.bool_value = value
        case "number_input":
            state.double_value = value
        case "slider":
            state.double_array_value.data[:] = value
        case "multiselect" | "select_slider" | "date_input" | "button_group":
            state.string_array_value.data[:] = value
        case _:
            state.string_value = value
    if name := getattr(widget.proto, "query_param_key", ""):
        app.query_params[name] = str(value).lower() if value in (True, False) else value
    app._run(states)  # noqa: SLF001 - no public way


def _bounds(widget: Widget) -> tuple[float, float]:
    whole = widget.proto.data_type == NumberInput.INT
    far = float(2**53 - 1) if whole else sys.float_info.max
    return -far if widget.min is None else widget.min, far if widget.max is None else widget.max


def following(widget: Widget) -> Any:
    """Return what comes after the value of a control: a step on, or its next option."""
    value = getattr(widget, "value", None)
    match widget.type:
        case "checkbox" | "toggle":
            found: Any = not value
        case "number_input":
            up, down = value + widget.proto.step, value - widget.proto.step
            found = up if widget.max is None or up <= widget.max else down
        case "slider":
            first, *rest = value if isinstance(value, list | tuple) else [value]
            up, down = first + widget.proto.step, first - widget.proto.step
            found = [up if up <= min([widget.max, *rest]) else down, *rest]
        case "multiselect":
            others = [o for o in widget.options if o not in widget.values]
            found = [*widget.values, *others[:1]] if others else widget.values[1:]
        case "select_slider":
            first, *rest = widget._widget_state.string_array_value.data  # noqa: SLF001
            found = [_after(widget.options, first), *rest]
        case "button_group":
            first, *_ = [*widget._widget_state.string_array_value.data, ""]  # noqa: SLF001
            found = [_after(widget.options, first)]
        case "date_input":
            found = [f"{(value or date(2024, 1, 1)) + timedelta(days=1):%Y/%m/%d}"]
        case "selectbox" | "radio":
            chosen = widget._widget_state.string_value  # noqa: SLF001
            found = _after(widget.options, chosen)
        case _:
            found = str(value or "")[:-1]
    return found


def _after(options: list[str], chosen: str) -> str:
    place = options.index(chosen) if chosen in options else -1
    return options[(place + 1) % len(options)]


def nodes(app: AppTest) -> Iterator[Any]:
    """Return all that the page consists of, in its order."""
    waiting: list[Any] = [app._tree]  # noqa: SLF001 - no public way
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(getattr(node, "children", {}).values()))
