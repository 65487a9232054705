"""What Budget says of releases that were made in a plan."""

from datetime import UTC, datetime

import numpy as np

from dpcore.analyses.base import Mode
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release_all
from dpcore.privacy_filter import PrivacyCost
from tests.app.figures import figures
from tests.app.test_pages import use_upload
from tests.releases.test_release_all import ask

PRICE = PrivacyCost.of(epsilon=0.35, rho=0.04)


def test_the_ledger_page_charges_a_plan_once_and_says_so(open_page, home):
    use_upload(open_page)
    ledger = Ledger.at(home / "ledger.sqlite3")
    (account,) = ledger.accounts()
    release_all(
        [ask(0.2, relation=account.relation), ask(0.3, relation=account.relation)],
        [np.array([50.0])] * 2,
        cost=lambda _: PRICE,
        ledger=ledger,
        fingerprint=account.fingerprint,
        mode=Mode.RELEASE,
        now=datetime(2026, 1, 2, tzinfo=UTC),
    )
    app = open_page("budget")
    assert next(m for m in app.metric if m.label == "Spent").value.startswith("ε = 0.35")
    listing = app.dataframe[0].value
    assert list(listing["privacy cost"]) == ["ε = 0.3", "ε = 0.2"]
    assert "2 releases spent ε = 0.35 of 3" in figures(app)[0].alt
    app.session_state["budget-methods"] = True
    app.session_state["releases-2"] = {"selection": {"rows": [0]}}
    app.run()
    assert "charged, a plan as a whole: 0.35" in figures(app)[1].alt
    assert any("in a plan, 2 releases together: ε = 0.35" in c.value for c in app.caption)
