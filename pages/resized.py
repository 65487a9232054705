"""Resized bootstrap: a sample as the only noise."""

from ui import form
from ui.resampling import resized_bootstrap, resized_column

form.explore(
    "resized",
    "Check the claim that a fresh sample of one row in Z gives ε = 1/Z without noise.",
    resized_column.show,
    methods=resized_bootstrap.METHODS,
)
