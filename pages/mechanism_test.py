"""Test: what draws of the mechanism of a question show of its epsilon."""

from functools import partial

from ui import auditing, confidential, places, question_form, session

places.begin(
    "mechanism_test",
    "Draw this release many times on two neighboring datasets. Nothing is charged.",
)
asked = question_form.ask(session.require_study())
study = session.require_study()
auditing.body(auditing.ask_pair(asked, study))
confidential.area(
    "audit-checks",
    "checks of the bounds, the bins and the ledger",
    partial(auditing.check, asked, study),
)
