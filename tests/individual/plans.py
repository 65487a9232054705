"""A mechanism with the sensitivity it is used at, as ``expose`` takes it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    mechanism: Any
    sensitivity: Any

    def worst_case(self, *, delta=0.0):
        return self.mechanism.epsilon(self.sensitivity, delta=delta)

    def pairwise_epsilon(self, first, second, *, delta=0.0):
        return self.mechanism.pairwise_epsilon(first, second, delta=delta)
