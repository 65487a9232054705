"""Sensitivity explorer: what one person can change, in a table and in the worst one."""

from ui import form, sensitivity_explorer

form.explore(
    "sensitivity",
    "See how far one person can move a statistic, here and in the worst table.",
    sensitivity_explorer.show,
    methods=sensitivity_explorer.METHODS,
)
