"""Privacy costs and budgets in exact decimal numbers that never round in our favor.

A number that a person typed is its shortest decimal: 0.1 means one tenth, so that ten
releases of 0.1 fit into a budget of 1. A number that the program computed is rounded
up. Sums are exact, or rounded up beyond 60 digits; what is left is rounded down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from typing import Final

from dpcore.codec import Pair
from dpcore.errors import ParameterError
from dpcore.formatting import in_full

_UP = Context(prec=60, rounding=ROUND_CEILING)
_DOWN = Context(prec=60, rounding=ROUND_FLOOR)
_COMPUTED = Context(prec=15, rounding=ROUND_CEILING)
_COMPUTING_ERROR = Decimal(1 + 2.0**-50)
_INFINITE = Decimal("Infinity")
_ZERO = Decimal(0)
_SYMBOLS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}
_READABLE = range(-6, 15)  # powers of ten that are easier to read written out


def typed(number: float) -> Decimal:
    """Return the decimal that a person means by ``number``: the shortest one.

    >>> typed(0.1)
    Decimal('0.1')
    """
    return Decimal(repr(float(number)))


def computed(number: float) -> Decimal:
    """Return ``number`` rounded up to 15 digits, its own rounding errors included.

    The result is at least ``number * (1 + 2**-50)``, which covers the last four units
    of a float calculation.

    >>> computed(0.5), computed(0.0)
    (Decimal('0.500000000000001'), Decimal('0'))
    """
    if number == 0 or math.isinf(number):
        return Decimal(number)
    return _COMPUTED.plus(_UP.multiply(Decimal(number), _COMPUTING_ERROR))


def float_below(number: Decimal) -> float:
    """Return the largest float that is at most ``number``.

    >>> Decimal(float_below(Decimal("0.1"))) <= Decimal("0.1")
    True
    """
    nearest = float(number)
    return nearest if Decimal(nearest) <= number else math.nextafter(nearest, -math.inf)


def difference(whole: Decimal, part: Decimal) -> Decimal:
    """Return ``whole - part``, rounded up where 60 digits do not hold it."""
    return _UP.subtract(whole, part)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyCost:
    """What one release, or several together, spend.

    The release is (epsilon, delta)-DP, and rho-zCDP. ``Infinity`` stands where a notion
    gives no guarantee.
    """

    epsilon: Decimal = _ZERO
    delta: Decimal = _ZERO
    rho: Decimal = _ZERO

    def __post_init__(self) -> None:
        for name, number in self._numbers():
            if number.is_nan() or number < 0:
                raise ParameterError(f"a cost's {name} must be at least 0, got {number}.")

    @classmethod
    def of(cls, *, epsilon: float = 0.0, delta: float = 0.0, rho: float = 0.0) -> PrivacyCost:
        """Return the cost of a typed ``epsilon`` and ``delta`` and a computed ``rho``.

        >>> str(PrivacyCost.of(epsilon=0.1, rho=0.005).rho)
        '0.00500000000000001'
        """
        return cls(epsilon=typed(epsilon), delta=typed(delta), rho=computed(rho))

    def __add__(self, other: PrivacyCost) -> PrivacyCost:
        return PrivacyCost(
            epsilon=_UP.add(self.epsilon, other.epsilon),
            delta=_UP.add(self.delta, other.delta),
            rho=_UP.add(self.rho, other.rho),
        )

    def to_json(self) -> dict[str, str]:
        """Return the three numbers as decimal strings."""
        return {name: str(number) for name, number in self._numbers()}

    @classmethod
    def from_json(cls, content: object) -> PrivacyCost:
        """Return the cost that ``to_json`` wrote; ParameterError if it is none."""
        numbers = _decimals(content)
        if numbers.keys() != {"epsilon", "delta", "rho"}:
            raise ParameterError("a cost has exactly the parts epsilon, delta and rho.")
        return cls(**numbers)

    def _numbers(self) -> tuple[tuple[str, Decimal], ...]:
        return ("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyBudget:
    """A cap that a filter holds while releases are chosen one after another.

    Either ``epsilon`` and ``delta`` are given and ``rho`` is not, or ``rho`` alone.
    Adding up epsilons and deltas, or rhos, stays valid when a release is chosen in view
    of earlier answers (Rogers, Roth, Ullman and Vadhan 2016; Feldman and Zrnic 2021);
    tighter totals are not.

    Attributes:
        epsilon: Cap on the sum of epsilons, positive and finite.
        delta: Cap on the sum of deltas, in [0, 1).
        rho: Cap on the sum of zero-concentrated DP levels, positive and finite.

    """

    epsilon: Decimal | None = None
    delta: Decimal | None = None
    rho: Decimal | None = None

    def __post_init__(self) -> None:
        pair = self.epsilon is not None and self.delta is not None
        single = self.epsilon is None and self.delta is None
        if not (pair and self.rho is None) and not (single and self.rho is not None):
            raise ParameterError("a budget is either an epsilon with a delta, or a rho.")
        for name, cap in (("epsilon", self.epsilon), ("rho", self.rho)):
            if cap is not None and not (cap.is_finite() and cap > 0):
                raise ParameterError(f"a budget's {name} must be positive and finite, got {cap}.")
        if self.delta is not None and not (self.delta.is_finite() and 0 <= self.delta < 1):
            raise ParameterError(f"a budget's delta must be at least 0, below 1, got {self.delta}.")

    @classmethod
    def of(
        cls, *, epsilon: float | None = None, delta: float | None = None, rho: float | None = None
    ) -> PrivacyBudget:
        """Return the budget of typed numbers; ``delta`` is 0 where only epsilon is set.

        >>> PrivacyBudget.of(epsilon=1.0).describe()
        'ε = 1, δ = 0 in total'
        """
        if epsilon is not None and delta is None:
            delta = 0.0
        return cls(
            epsilon=None if epsilon is None else typed(epsilon),
            delta=None if delta is None else typed(delta),
            rho=None if rho is None else typed(rho),
        )

    def admits(self, spent: PrivacyCost, cost: PrivacyCost) -> bool:
        """Return whether ``cost`` on top of ``spent`` stays within every cap."""
        total = spent + cost
        return all(
            getattr(total, name) <= cap for name, cap in self._caps()
        )  # infinity compares as it should

    def remaining(self, spent: PrivacyCost) -> PrivacyCost:
        """Return what is left under each cap; infinity where there is no cap.

        >>> left = PrivacyBudget.of(rho=0.5).remaining(PrivacyCost.of(epsilon=3.0))
        >>> str(left.rho), str(left.epsilon)
        ('0.5', 'Infinity')
        """
        left = dict.fromkeys(("epsilon", "delta", "rho"), _INFINITE)
        for name, cap in self._caps():
            left[name] = max(_ZERO, _DOWN.subtract(cap, getattr(spent, name)))
        return PrivacyCost(**left)

    def describe(self) -> str:
        """Return the caps in words."""
        return f"{self.caption(PrivacyCost(**dict(self._caps())))} in total"

    def caption(self, cost: PrivacyCost) -> str:
        """Return those parts of ``cost`` in words that this budget caps."""
        return ", ".join(_captioned(name, cost) for name, _ in self._caps())

    def caption_above(self, most: PrivacyCost) -> str:
        """Return those parts of ``most`` in words that a cap of this budget is above.

        >>> PrivacyBudget.of(epsilon=0.5, delta=1e-6).caption_above(PrivacyCost.of(epsilon=1.0))
        'δ = 0'
        """
        above = [name for name, cap in self._caps() if cap > getattr(most, name)]
        return ", ".join(_captioned(name, most) for name in above)

    def to_json(self) -> dict[str, str]:
        """Return the caps as decimal strings."""
        return {name: str(cap) for name, cap in self._caps()}

    @classmethod
    def from_json(cls, content: object) -> PrivacyBudget:
        """Return the budget that ``to_json`` wrote; ParameterError if it is none."""
        caps = _decimals(content)
        if not caps.keys() <= {"epsilon", "delta", "rho"}:
            raise ParameterError("a budget has the parts epsilon, delta and rho only.")
        return cls(**caps)

    def _caps(self) -> tuple[tuple[str, Decimal], ...]:
        named = ("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho)
        return tuple((name, cap) for name, cap in named if cap is not None)


COST: Final = Pair(PrivacyCost.to_json, PrivacyCost.from_json)
BUDGET: Final = Pair(PrivacyBudget.to_json, PrivacyBudget.from_json)


def plain(number: Decimal) -> str:
    """Return a short exact notation of ``number``.

    >>> plain(Decimal("1.0")), plain(Decimal("100")), plain(Decimal("1E-6"))
    ('1', '100', '0.000001')
    >>> plain(Decimal("1E-12"))
    '1e-12'
    """
    trimmed = number.normalize(_UP)
    readable = trimmed.is_finite() and trimmed.adjusted() in _READABLE
    return f"{trimmed:f}" if readable else str(trimmed).lower()


def _captioned(name: str, cost: PrivacyCost) -> str:
    """Return a part of a cost with every digit, and a small delta as a power of ten."""
    number = getattr(cost, name)
    return f"{_SYMBOLS[name]} = {in_full(float(number)) if name == 'delta' else plain(number)}"


def _decimals(content: object) -> dict[str, Decimal]:
    texts = content if isinstance(content, dict) else {"": content}
    try:
        if all(isinstance(text, str) for text in texts.values()):
            return {name: Decimal(str(text)) for name, text in texts.items()}
    except InvalidOperation:
        pass
    raise ParameterError("a cost or budget is written in decimal numbers.")
