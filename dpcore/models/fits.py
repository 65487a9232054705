"""The fits of all models, which answer the same questions."""

from __future__ import annotations

from dpcore.models.glm import GlmFit
from dpcore.models.ridge import RidgeFit

Fit = RidgeFit | GlmFit
