"""Study 2: proportions released under constraints, simulated with editable settings."""

from ui import form, proportion_study

form.draw("study2", proportion_study.STUDY)
