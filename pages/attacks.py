"""Attacks: what released numbers give away, tried out, and what stops it."""

from ui import form, session
from ui.attacks import attack_tabs

session.require_router("pages/attacks.py")
form.explore(
    "Attacks",
    "Run each attack on a release without protection, then on a private one.",
    attack_tabs.show,
    methods=attack_tabs.METHODS,
)
