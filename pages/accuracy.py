"""Accuracy: bias, variance and margin of error of the mechanisms on the same statistic."""

from dpcore.planning.analysis_plan import USUAL_GROUP
from ui import assumed_sizes, comparing, controls, layout, margins, places, question_form, session

places.begin("accuracy", "Bias, standard deviation, RMSE and margin of error for this question.")
study = session.require_study()
asked = question_form.ask(study)
group = USUAL_GROUP
if asked.width(group=USUAL_GROUP).assumed:
    group = assumed_sizes.ask(controls.row(4)[0], asked.query)
if asked.query.kind.of_places:
    margins.show(asked, study, group)
    margins.of_quantiles(asked, study)
else:
    comparing.show(asked, study, group)
layout.methods(comparing.METHODS)
