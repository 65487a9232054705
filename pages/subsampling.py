"""Subsampling: what keeping the sample secret is worth."""

from ui import form, layout
from ui.resampling import secret_samples, subsampling_release

OWN = "Release from a sample"

form.explore(
    "subsampling",
    "See how a secret sample reduces the privacy cost, and what it costs in accuracy.",
    lambda: layout.show(
        layout.own_first({**secret_samples.VIEWS, OWN: subsampling_release.show}, OWN),
        key="ss-view",
    ),
    methods=secret_samples.METHODS,
)
