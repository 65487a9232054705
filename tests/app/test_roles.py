"""What a role may not do is refused where it is carried out, whatever a page shows."""

from __future__ import annotations

import pytest

from dpcore.data.examples import EXAMPLES
from dpcore.errors import DPCoreError
from tests.app.asking import use_survey
from tests.app.test_pages import mode, release_button
from tests.app.test_presses import spend
from tests.app.test_questions import shown, use_example
from ui import roles, session
from ui.roles import Action, Role, RoleError

ROLES = {
    Role.CURATOR: {Action.PLAN, Action.RELEASE, Action.SEE},
    Role.ANALYST: {Action.PLAN},
    Role.VIEWER: set(),
    None: set(),
}


@pytest.fixture
def signed_in(monkeypatch):
    """Sign in as somebody of a role."""
    return lambda role: monkeypatch.setattr(roles, "role", lambda: role)


@pytest.mark.parametrize(("role", "permitted"), ROLES.items())
def test_a_role_has_its_actions_and_no_other(signed_in, role, permitted):
    signed_in(role)
    assert {action for action in Action if roles.may(action)} == permitted
    for action in set(Action) - permitted:
        with pytest.raises(RoleError, match="Ask a curator"):
            roles.require(action)


def test_without_settings_everybody_is_the_curator(monkeypatch):
    monkeypatch.delenv(roles.VARIABLE, raising=False)
    assert not roles.is_needed()
    assert roles.role() is Role.CURATOR


def test_a_file_that_is_missing_lets_nobody_in(monkeypatch, tmp_path):
    monkeypatch.setenv(roles.VARIABLE, str(tmp_path / "missing.toml"))
    assert roles.role() is None


def answers():
    """How many answers the ledger on disk holds."""
    return sum(account.releases for account in session.kept_ledger().accounts())


def test_an_analyst_takes_a_table_into_use_and_opens_no_account(open_page, signed_in):
    signed_in(Role.ANALYST)
    use_survey(open_page)
    assert session.kept_ledger().accounts() == ()
    app = open_page("privacy_loss")
    assert "Only a curator can open the confidential part" in shown(app)
    # Practice on a table of one's own would show the truth.
    mode(app).set_value("classroom").run()
    app = open_page("privacy_loss")
    assert "Only a curator can open the confidential part" in shown(app)


def test_an_analyst_sees_the_price_and_is_refused_the_answer(open_page, signed_in):
    use_survey(open_page)
    signed_in(Role.ANALYST)
    app = open_page("release")
    release_button(app).click().run()
    assert "role does not permit" in shown(app)
    assert not answers()


def test_who_may_not_release_any_more_is_refused_the_second_press(open_page, signed_in):
    use_survey(open_page)
    app = release_button(open_page("release")).click().run()
    signed_in(Role.VIEWER)
    spend(app).run()
    assert "role does not permit" in shown(app)
    assert not answers()


def test_practice_goes_on_in_every_role(open_page, signed_in):
    signed_in(Role.VIEWER)
    assert mode(use_example(open_page, EXAMPLES[0].key)).value == "classroom"
    app = release_button(open_page("release")).click().run()
    assert "role does not permit" not in shown(app)


def test_a_ledger_that_outlives_the_program_is_written_to_by_curators(signed_in):
    signed_in(Role.ANALYST)
    with pytest.raises(DPCoreError, match="role"):
        session.begin_anew("to forget what was spent")
