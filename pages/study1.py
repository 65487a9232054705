"""Study 1: a covariance matrix released many times."""

from ui import covariance_study, form, session

session.require_router("pages/study1.py")
form.draw(covariance_study.STUDY)
