import pytest

from dpcore.budget_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from dpcore.releases.ledger import Ledger


@pytest.fixture(params=["file", "memory"])
def ledger(request, tmp_path):
    opened = (
        Ledger.at(tmp_path / "home" / "ledger.sqlite3")
        if request.param == "file"
        else Ledger.in_memory()
    )
    opened.open_account(
        "table", PrivacyBudget.of(epsilon=1.0), NeighboringRelation.SUBSTITUTION
    )
    return opened
