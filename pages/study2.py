"""Study 2: proportions released under constraints, simulated with editable settings."""

from ui import form, proportion_study, session

session.require_router("pages/study2.py")
form.draw(proportion_study.STUDY)
