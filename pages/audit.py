"""Audit: whether a mechanism keeps its claimed ε, from draws on two datasets."""

from ui import auditing, places

places.begin(
    "audit", "Sample a mechanism on two neighboring datasets and estimate a lower bound on its ε."
)
auditing.body(auditing.ask())
