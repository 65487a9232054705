"""Privacy loss of the plan: what the people of this table lose by it. Curator only."""

from functools import partial

from ui import confidential, layout, places, session
from ui.planning import comparison, privacy_loss, private_choice

places.begin(
    "plan_privacy_loss", "See how much each person in the data loses by all answers together."
)
study = session.require_study()
plan = comparison.planned(study, then="see its privacy loss")
asked = privacy_loss.ask(plan, study)
confidential.area(
    "touched", "privacy loss per person", partial(privacy_loss.show, plan, asked, study)
)
private_choice.show(plan, asked, study)
layout.folded("Why choosing ε from the data leaks", "touched-leak", privacy_loss.show_leak)
layout.methods(f"{privacy_loss.METHODS}\n\n{private_choice.METHODS}")
