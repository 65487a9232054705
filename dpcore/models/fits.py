"""The fits of all models, which answer the same questions."""

from __future__ import annotations

from dpcore.models.glm.fit import GlmFit
from dpcore.models.ridge.fit import RidgeFit

Fit = RidgeFit | GlmFit
