"""Shares of all categories: made to add up to 1, and followed over the pages."""

from __future__ import annotations

import pytest

from dpcore.postprocessing.share_constraints import ConstraintKind
from tests.app.asking import COLUMNS, choose, go, use_survey
from tests.app.test_pages import by_label, fill, press_release
from tests.app.test_questions import set_to, shown
from tests.conftest import few

MAKE = "Make the shares add up to 1"


@pytest.fixture
def app(open_page):
    use_survey(open_page)
    app = open_page("release")
    choose(app, "Column", COLUMNS.index("region"))
    choose(app, "Statistic", "all shares")
    return choose(app, "Mechanism", "bit")


@pytest.mark.parametrize("kind", few(1, *reversed(ConstraintKind)))
def test_shares_add_up_at_the_price_that_was_named(app, follow, kind):
    fill(app, number_input={"ε for this release": 0.7}, selectbox={MAKE: kind})
    if kind is ConstraintKind.ALL_BUT_ONE:
        choose(app, "Left over for", 1)
    if kind is ConstraintKind.TREE:
        set_to(app, "number_input", "Children of a node", 3)
    once = follow(app)
    captions = [caption.value for caption in app.caption]
    assert any("before they are made to add up" in text for text in captions)
    # The list, the files and the answer say that the shares were adjusted.
    assert once.title == f"all shares of region, made to add up to 1 ({kind})"
    assert {"row", "moves the answer by", "own epsilon"} <= set(once.exposed)
    assert once.epsilon == pytest.approx(0.7)
    assert len(once.answer) == 4
    assert sum(once.answer) == pytest.approx(1, abs=1e-9)
    assert min(once.answer) >= 0
    assert "of the share of one category at" in once.tradeoffs

    # Another question at the same price: each answer has a third of it.
    choose(go(app, "release"), MAKE, kind)
    assert once.title in shown(app).replace("\\", "").lower()
    set_to(app, "number_input", "Independent answers", 3)
    # The noise is in the unit of the answer, which is a share.
    margin = by_label(app.metric, "Margin of error, all at once (95%, noise only)").value
    assert float(margin.removeprefix("± ")) <= 1
    thrice = follow(app)
    assert thrice.epsilon == pytest.approx(0.7)
    assert thrice.answer != once.answer
    assert sum(thrice.answer) == pytest.approx(1, abs=1e-9)


@pytest.mark.usefixtures("known_noise")
def test_noise_beyond_the_bounds_is_named_by_its_side(app):
    choose(app, "Statistic", "histogram")
    fill(app, selectbox={"Mechanism": "laplace"}, number_input={"ε for this release": 0.01})
    press_release(app)
    (said,) = (one.value for one in app.caption if "Noise moved" in one.value)
    assert "moved an answer below 0, where" in said
    assert "∞" not in said
