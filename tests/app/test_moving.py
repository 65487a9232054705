"""The account of a table leaves one machine, and arrives on another."""

from dpcore.releases import moving
from dpcore.releases.ledger import Ledger
from tests.app.test_pages import button, by_label, press_release, use_upload


def test_an_account_leaves_one_machine_and_arrives_on_another(
    open_page, home, tmp_path, monkeypatch
):
    packed, files = moving.packed, []

    def kept(*args, **named):
        files.append(packed(*args, **named))
        return files[-1]

    monkeypatch.setattr(moving, "packed", kept)
    use_upload(open_page)
    press_release(open_page("release"))
    app = open_page("ledger")
    button(app, "Close here and make the file").click().run()
    assert any("needs a reason" in error.value for error in app.error)
    by_label(app.text_input, "Reason for moving").set_value("a new server")
    button(app, "Close here and make the file").click().run()
    assert not app.exception
    assert not app.error
    assert "moved to another machine" in app.warning[0].value
    assert app.metric[2].value == "nothing"
    (code,) = (block.value for block in app.code)
    (text,) = files
    assert code not in text
    assert not any(b.label == "Change and record" for b in app.button)

    monkeypatch.setenv("EPSILON_STUDIO_HOME", str(tmp_path / "another"))
    use_upload(open_page)
    app = open_page("ledger")
    assert app.metric[1].value.startswith("ε 0")
    _bring(app, text, "ABCD-EFGH")
    assert any("code is not the one" in error.value for error in app.error)
    _bring(app, text, code)
    assert not app.error
    assert "has arrived" in app.success[0].value
    assert app.metric[1].value.startswith("ε 0.5")
    assert len(app.dataframe[0].value) == 1
    _bring(app, text, code)
    assert any("arrived here already" in error.value for error in app.error)
    there = Ledger.at(tmp_path / "another" / "ledger.sqlite3")
    (account,) = there.accounts()
    (before,) = Ledger.at(home / "ledger.sqlite3").accounts()
    assert account.spent == before.spent
    assert account.fingerprint != before.fingerprint


def _bring(app, text, code):
    file = ("account.json", text.encode(), "application/json")
    app.file_uploader[0].set_value(file)
    by_label(app.text_input, "Code of the file").set_value(code)
    button(app, "Bring it in and record").click().run()
    assert not app.exception
