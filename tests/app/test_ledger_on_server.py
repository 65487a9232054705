"""Pages whose ledger is on a server."""

import pytest

from dpcore.ledger import opening
from tests.app.test_ledger_trouble import begin_anew
from tests.app.test_pages import press_release, use_upload
from tests.conftest import assert_says


@pytest.fixture
def on_server(cluster, monkeypatch):
    """Let pages use a server; their connections end with the test."""
    real, ledgers = opening.on_server, []

    def kept(*args):
        ledgers.append(real(*args))
        return ledgers[-1]

    monkeypatch.setattr(opening, "on_server", kept)
    monkeypatch.setenv("EPSILON_STUDIO_LEDGER", cluster.address("pages"))
    yield cluster
    for ledger in ledgers:
        ledger.close()


def test_pages_spend_on_the_server_and_tell_when_it_fails(on_server, open_page, home):
    use_upload(open_page)
    app = open_page("release")
    press_release(app)
    assert not app.error
    assert len(open_page("budget").dataframe[0].value) == 1
    app = open_page("manage")
    told = " ".join(caption.value for caption in app.caption)
    assert_says(told, "unbroken", "the same for every machine that has its key")
    assert not (home / "ledger.sqlite3").exists()
    on_server.run("TRUNCATE epsilon_studio_ledger", schema="pages")
    app = open_page("budget")
    (error,) = app.error
    assert "on the server" in error.value
    assert any("`epsilon_studio_entries`" in m.value for m in app.markdown)
    begin_anew(app, "a colleague emptied it")
    (told,) = (w.value.replace("\\", "") for w in app.warning)
    assert "names end in set_aside" in told
    assert any(m.label == "Spent" and m.value != "ε = 0, δ = 0" for m in app.metric)
