"""The colors of attacks: what a careless release tells, and what a private one does."""

from __future__ import annotations

from typing import Final

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PUBLIC, Stroke

CARELESS: Final = Stroke(color=CONFIDENTIAL, dash="dash", symbol="square")
PRIVATE: Final = Stroke(color=PUBLIC)
BEFORE: Final = Stroke(color=NEUTRAL, dash="dot")
"""What is known, or guessed, without any release."""
SHARE_OF_GUESSES: Final = "guesses that are right, %"
