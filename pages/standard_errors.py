"""Standard errors: the bootstrap under differential privacy."""

from dataclasses import replace

from ui import form, layout, session
from ui.resampling import standard_errors

session.require_router("pages/standard_errors.py")
study = standard_errors.STUDY
form.draw(replace(study, views=layout.own_first(study.views, standard_errors.OWN)))
