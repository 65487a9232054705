"""The noise before paying is the noise after paying, for all numbers at once."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dpcore.analyses.number import Query
from dpcore.statistics.kinds import StatisticKind
from tests.app.asking import choose, number, use_survey
from tests.app.test_pages import margin
from tests.app.test_questions import release, set_to
from tests.conftest import few
from tests.releases.questions import AGE, asked, terms
from tests.terms import ADD_REMOVE
from ui import session
from ui.answering import previews

ABOUT = {"age": 0, "income": 1, "region": 3, "smoker": 4}


@pytest.mark.usefixtures("known_noise")
@pytest.mark.parametrize(
    ("column", "statistic", "by_group"),
    few(1, ("smoker", "count", True), ("region", "all shares", False)),
)
def test_noise_of_several_numbers_is_told_before_as_it_is_after(
    open_page, column, statistic, by_group
):
    use_survey(open_page)
    app = choose(open_page("release"), "Column", ABOUT[column])
    choose(app, "Statistic", statistic)
    if statistic == "count":
        choose(app, "Who counts", "yes")
    if by_group:
        set_to(app, "selectbox", "By group", 0)
    set_to(app, "number_input", "ε for this release", 2.0)
    # The noise that the preview promises, in the numbers of the answer.
    text = margin(app).value.removeprefix("± ")
    amount = number(text.split()[0])
    promised = amount / 100 if text.endswith("%") else amount
    release(app)
    # The margin below the answer.
    (title,) = (m.value for m in app.caption if "within ±" in m.value)
    assert number(
        re.search(r"within ±\s([\d,.]+)", title.replace("\\", "")).group(1)
    ) == pytest.approx(promised, rel=0.02)


@pytest.mark.parametrize(("least", "possible"), [(3700, True), (7000, False)])
def test_no_more_rows_are_thought_of_than_the_public_table_has(least, possible, monkeypatch):
    """Where 7,000 of 7,400 rows are assumed to have a value, twice as many cannot."""
    told = []
    rows = SimpleNamespace(public_number=True, dataset=SimpleNamespace(people=7400))
    monkeypatch.setattr(session, "require_study", lambda: rows)
    monkeypatch.setattr(previews.st, "caption", told.append)
    query = Query(kind=StatisticKind.MEAN, column=AGE, **terms(least, relation=ADD_REMOVE))
    previews.private_number(asked(query, "laplace"))
    assert ("twice as many need half the noise" in told[0]) == possible
    assert "say so on “Data”" in told[0]
