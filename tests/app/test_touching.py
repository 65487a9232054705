"""Every control goes to its extremes and one step on, and then every button is pressed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.app import hand
from tests.app.asking import use_survey
from tests.app.test_pages import use_example
from tests.conftest import everything
from tests.registry import HEADINGS, WITHOUT_A_TABLE

ROOT = Path(__file__).resolve().parents[2]
TABLES = {"no table": None, "example": use_example, "upload": use_survey}
# Their controls are those of Release, and have the same bounds.
ASK_AS_RELEASE = {"accuracy", "privacy_loss", "mechanism_test"}
# What they simulate takes long.
SIMULATED = {"audit", "subsampling"}
# A view that reads a table is touched with one of a person's own.
CASES = [
    pytest.param(
        name,
        table,
        marks=[pytest.mark.exhaustive] * ((table == "upload") is (name in WITHOUT_A_TABLE)),
    )
    for name in HEADINGS
    for table in TABLES
    if table == "no table" or name not in WITHOUT_A_TABLE
]
# More than any page has: a page that grows with each touch is a fault.
MOST = 300


@pytest.mark.parametrize(("name", "table"), CASES)
def test_a_page_stands_every_touch(open_page, name, table):
    if begin := TABLES[table]:
        begin(open_page)
    app = open_page(name)
    for control in touched(app):
        following = hand.following(control)
        if name not in ASK_AS_RELEASE | SIMULATED or everything():
            go_to_extremes(app, control)
        if control := found(hand.controls(app), name_of(control)):
            hand.put(app, control, following)
            whole(app, f"moved {name_of(control)}")
    pressed = []
    while button := fresh(hand.buttons(app), pressed):
        pressed.append(name_of(button))
        button.click().run()
        whole(app, f"pressed {pressed[-1]}")
        if app.title[0].value != HEADINGS[name]:
            app = open_page(name)
            move_all(app)


def go_to_extremes(app, control):
    """Set a control to its extremes; to the first and the last one at least."""
    known = name_of(control)
    extremes = hand.extremes(control)
    for extreme in extremes if everything() else extremes[:: max(len(extremes) - 1, 1)]:
        hand.put(app, control, extreme)
        whole(app, f"{known} at {extreme!r:.40}")
        control = found(hand.controls(app), known)
        if control is None:  # Its value left nothing to set.
            return


def move_all(app):
    """Move each control one step and open each view, until nothing new appears."""
    for control in touched(app):
        hand.step(app, control)
        whole(app, f"moved {name_of(control)}")


def touched(app):
    """Yield each control of the page, and open view after view for those in it."""
    done = []
    for _ in range(MOST):
        views = [(key, view) for key, all_ in hand.views(app).items() for view in all_]
        closed = [view for view in views if view not in done]
        if control := fresh(hand.controls(app), done):
            done.append(name_of(control))
            yield control
        elif closed:
            done.append(closed[0])
            hand.turn(app, *closed[0])
            whole(app, f"opened {closed[0]}")
        else:
            return
    pytest.fail(f"always a new control: {done[-10:]}")


def fresh(widgets, done):
    """Return the first that was not touched yet."""
    return next((w for w in widgets if name_of(w) not in done), None)


def found(widgets, known):
    """Return the one of that name."""
    return next((w for w in widgets if name_of(w) == known), None)


def name_of(widget):
    # Keys count the tables and columns that were seen before.
    return widget.label, re.sub(r"-[0-9]+", "", widget.key or "")


def whole(app, what):
    assert len(app.title) == 1, what


def test_no_page_switches_by_itself():
    # A switch fails once a setting of the page is in the address: `session.go` is the
    # one that does not.
    files = [*ROOT.glob("pages/*.py"), *ROOT.glob("ui/**/*.py"), ROOT / "app.py"]
    callers = [f.name for f in files if "switch_page(" in f.read_text(encoding="utf-8")]
    assert callers == ["session.py"]
