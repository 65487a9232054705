"""A table that comes again, changed, is offered the account of its people."""

from dpcore.ledger.ledger import Ledger
from tests.app.test_pages import CSV, by_label, fill, press_release, put_in_use, use_upload


def draft(open_page, text, name="people Q4.csv"):
    app = open_page("data")
    app.file_uploader[0].set_value((name, text.encode(), "text/csv")).run()
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 100.0})
    return app


def offer(app):
    return next((each for each in app.radio if each.label == "These are"), None)


def test_a_reordered_table_goes_on_with_what_was_spent(open_page, home):
    app = use_upload(open_page)
    assert offer(app) is None
    press_release(open_page("release"))
    head, *rows = CSV.splitlines()
    app = draft(open_page, "\n".join([head, *reversed(rows)]))
    assert offer(app).index == 0
    put_in_use(app)
    assert not app.error
    app = open_page("budget")
    assert app.metric[0].value.startswith("ε = 0.5")
    assert any("share this account" in line.value for line in app.caption)
    listed = next(one.value for one in app.dataframe if "time (UTC)" in one.value)
    assert listed["table"].tolist() == ["people.csv"]
    app = open_page("release")
    assert any("was answered on" in one.value for one in app.info)
    press_release(app)
    assert not any("was answered on" in one.value for one in app.info)
    listed = next(one.value for one in open_page("budget").dataframe if "time (UTC)" in one.value)
    assert listed["table"].tolist() == ["people Q4.csv", "people.csv"]
    (account,) = Ledger.at(home / "ledger.sqlite3").accounts()
    assert (account.releases, len(account.tables)) == (2, 2)
    # The table that has an account is not asked about again.
    app = draft(open_page, CSV, "renamed.csv")
    assert offer(app) is None


def test_a_new_budget_needs_a_second_word(open_page, home):
    use_upload(open_page)
    app = draft(open_page, f"{CSV}\n")
    assert offer(app) is None  # a blank line changes no table
    head, first, *_ = CSV.splitlines()
    app = draft(open_page, f"{head}\n" + f"{first}\n" * 5)
    offer(app).set_value("").run()
    put_in_use(app)
    assert "nobody in this table" in app.error[0].value
    assert len(Ledger.at(home / "ledger.sqlite3").accounts()) == 1
    by_label(app.checkbox, "Nobody in this table is in the tables named above").check()
    put_in_use(app)
    assert not app.error
    ledger = Ledger.at(home / "ledger.sqlite3")
    first_account, second = ledger.accounts()
    (said,) = (e.content for e in ledger.history(second.name) if e.kind == "table")
    assert said["others"] == [first_account.name]
