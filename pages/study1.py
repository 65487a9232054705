"""Study 1: a covariance matrix released many times."""

from ui import covariance_study, form

form.draw("study1", covariance_study.STUDY)
