"""Attacks: what released numbers give away, tried out, and what stops it."""

from ui import form
from ui.attacks import attack_tabs

form.explore(
    "attacks",
    "Run each attack on a release without protection, then on a private one.",
    attack_tabs.show,
    methods=attack_tabs.METHODS,
)
