"""Periods of an account: opened, spent from, and closed."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.ledger import chain
from dpcore.ledger.ledger import Ledger
from dpcore.privacy_filter import PrivacyCost
from tests.app.test_pages import button, by_label, press_release, release_button, use_upload
from ui.accounts import rest, used_up


@pytest.fixture
def in_november(monkeypatch):
    monkeypatch.setattr(chain, "now", lambda: datetime(2026, 11, 23, tzinfo=UTC))


@pytest.mark.usefixtures("in_november")
def test_the_next_quarter_is_opened_on_the_same_account(open_page, home):
    use_upload(open_page)
    app = open_page("manage")
    _open(app, 0.25)
    assert not app.error
    assert any("Today lies in **Q4 2026**" in line.value for line in app.markdown)
    left = app.metric[1]
    assert (left.label, left.value) == ("Left", "ε = 3, δ = 10⁻⁵")
    assert left.delta == "ε = 0.25, δ = 2.5 × 10⁻⁶ in Q4 2026"
    app = open_page("release")
    assert any("ε = 0.25" in w.value and "in Q4 2026" in w.value for w in app.warning)
    assert release_button(app).disabled
    app = open_page("manage")
    by_label(app.number_input, "New limit ε").set_value(0.2)
    by_label(app.text_input, "Reason for the new limit").set_value("a mistake")
    button(app, "Change the limit and record").click().run()
    assert not app.error
    assert app.metric[1].delta.startswith("ε = 0.2, ")
    by_label(app.text_input, "Name").set_value("Q4 2026")
    _open(app, 0.5)
    assert any("a period “Q4 2026” already" in e.value for e in app.error)
    by_label(app.text_input, "Name").set_value("Q1 2027")
    # What is typed is held against what is left, before it is recorded.
    by_label(app.number_input, "Limit of the period ε").set_value(3.0).run()
    assert any("could still be spent in “Q4 2026” and “Q1 2027”" in i.value for i in app.info)
    assert any("Choose at most ε = 2.8, or lower" in i.value.replace("\\", "") for i in app.info)
    _open(app, 0.5)
    assert not app.error
    (account,) = Ledger.at(home / "ledger.sqlite3").accounts()
    fourth, first = account.periods
    assert (fourth.begins, first.ends) == (date(2026, 10, 1), date(2027, 3, 31))
    assert account.current == (fourth,)
    used = replace(account, periods=(replace(fourth, spent=PrivacyCost.of(epsilon=0.2)), first))
    assert not used_up(used)
    assert rest(used) == "ε = 3 of 3 left, nothing in Q4 2026"


def test_a_change_of_the_budget_needs_a_reason_and_stays_on_record(open_page, home):
    use_upload(open_page)
    app = open_page("manage")
    by_label(app.number_input, "New privacy budget ε").set_value(4.0).run()
    button(app, "Change and record").click().run()
    assert app.error
    by_label(app.text_input, "Reason").set_value("the committee of May")
    button(app, "Change and record").click().run()
    assert not app.error
    assert any("the committee of May" in str(one.value.values) for one in app.dataframe)
    (account,) = Ledger.at(home / "ledger.sqlite3").accounts()
    assert float(account.budget.epsilon) == 4.0


@pytest.mark.usefixtures("in_november")
def test_each_new_period_proposes_what_is_not_promised_to_others(open_page, home):
    use_upload(open_page)
    press_release(open_page("release"))
    app = open_page("manage")
    # A share of what is left, with what was spent in these days.
    assert by_label(app.number_input, "Limit of the period ε").value == 0.5 + 2.5 / 4
    assert any("Already spent in these days: ε = 0.5, δ = 0" in c.value for c in app.caption)
    by_label(app.radio, "Length").set_value("a year").run()
    for year, epsilon in (("2026", 1.75), ("2027", 1.25)):
        assert by_label(app.text_input, "Name").value == year
        assert by_label(app.number_input, "Limit of the period ε").value == epsilon
        assert not app.info
        button(app, "Open and record").click().run()
        assert not app.error
    (info,) = app.info
    assert "Choose at most ε = 0, or lower" in info.value.replace("\\", "")
    assert len(Ledger.at(home / "ledger.sqlite3").accounts()[0].periods) == 2


@pytest.mark.usefixtures("in_november")
def test_what_is_closed_pays_nothing_and_says_so(open_page, home):
    use_upload(open_page)
    press_release(open_page("release"))
    app = open_page("manage")
    button(app, "Close and record").click().run()
    assert any("Choose what to close" in error.value for error in app.error)
    by_label(app.selectbox, "What to close").set_value("the whole account")
    by_label(app.checkbox, "It stays closed permanently").check()
    button(app, "Close and record").click().run()
    assert any("needs a reason" in error.value for error in app.error)
    by_label(app.text_input, "Reason for closing").set_value("the project is over")
    button(app, "Close and record").click().run()
    assert not app.error
    assert "the project is over" in app.warning[0].value
    assert app.metric[1].value == "nothing"
    assert not any(b.label == "Change and record" for b in app.button)
    assert Ledger.at(home / "ledger.sqlite3").accounts()[0].closed is not None


def _open(app, epsilon):
    by_label(app.number_input, "Limit of the period ε").set_value(epsilon)
    button(app, "Open and record").click().run()


def shown_limit(limit):
    from dpcore.privacy_filter import PrivacyBudget  # noqa: PLC0415 - a page of its own
    from ui.budget.periods import limit_fields  # noqa: PLC0415 - as above

    limit_fields(PrivacyBudget.of(**limit), "test", "Limit")


@pytest.mark.parametrize("limit", [{"epsilon": 2.5e-10, "delta": 0.0}, {"rho": 2.5e-13}])
def test_a_quarter_of_the_smallest_budget_begins_at_the_least_limit(limit):
    app = AppTest.from_function(shown_limit, args=(limit,)).run()
    assert not app.exception
    assert app.number_input[0].value == app.number_input[0].min
