import itertools

import pytest

from dpcore.ledger.ledger import Ledger
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.releases.places import Place

_numbers = itertools.count()


@pytest.fixture
def server(request, tmp_path):
    """A place on a server, with nothing in it."""
    cluster = request.getfixturevalue("cluster")
    address = cluster.address(f"ledger_{next(_numbers)}")
    place = Place(home=tmp_path / "home", address=address)
    yield place
    place.close()


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.server)])
def place(request, tmp_path):
    if request.param == "server":
        return request.getfixturevalue("server")
    return Place(home=tmp_path / "home")


@pytest.fixture(params=["file", "memory", "server"])
def ledger(request, tmp_path):
    if request.param == "memory":
        opened = Ledger.in_memory()
    elif request.param == "file":
        opened = Ledger.at(tmp_path / "home" / "ledger.sqlite3")
    else:
        opened = request.getfixturevalue("server").ledger()
    opened.open_account("table", PrivacyBudget.of(epsilon=1.0), NeighboringRelation.SUBSTITUTION)
    return opened
