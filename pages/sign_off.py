"""Sign-off: who approves the plan, for which purpose, and the sheet to sign."""

from ui import places, session
from ui.planning import comparison, sign_off

places.begin("sign_off", "Name purpose and approvers, and print the sheet to sign.")
study = session.require_study()
plan = comparison.planned(study, then="make its sign-off sheet")
sign_off.show(plan, comparison.alternative(plan, study), study)
