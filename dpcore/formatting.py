"""Numbers and nouns as people read them, with one rule for rounding.

What is a value is rounded to the nearest, such as a person's own loss. What is a limit
is rounded away from it: a guarantee or a price, and whatever is said to be "at most".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Final

_DIGITS = 3
# Enough for every digit before and after the point of any float.
_EXACT = Context(prec=700)
_BEFORE_THE_LAST_BITS = Context(prec=15)
_WORDS = ((12, "trillion"), (9, "billion"), (6, "million"))
_NAMED = 3
_READ_AS_ZERO = 1e-3
"""What part of an interval its end may be to be read as 0."""
_LEAST_PERCENT, _MOST_TIMES = 1e-4, 100.0
_LARGEST_IN_WORDS, _SMALLEST_IN_DIGITS = 1e15, 1e-4
_SYMBOLS = tuple("εδρλ")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_IRREGULAR: Final = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_HISSING: Final = ("s", "x", "z", "ch", "sh")
_NO_PLURALS: Final = ("ss", "us", "is", "series", "species")
_VOWELS: Final = "aeiou"
_SPOKEN_AS_CONSONANT: Final = ("uni", "use", "eu", "one")
_SPOKEN_AS_VOWEL: Final = ("hour", "heir", "honor")


def significant(number: float, digits: int = _DIGITS, *, up: bool = False) -> str:
    """Return ``number`` with that many significant digits, without an exponent.

    Whole numbers below a million keep all their digits, larger ones become words.

    >>> significant(0.123449), significant(0.12341, up=True), significant(20190.4)
    ('0.123', '0.124', '20,190')
    >>> significant(2696159046.0), significant(2696159046.0, up=True)
    ('2.7 billion', '2.7 billion')
    >>> significant(math.inf), significant(2.5e-7)
    ('∞', '2.5 × 10⁻⁷')
    """
    if math.isnan(number):
        return "not defined"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if number == 0:
        return "0"
    exact = _to_round(number, up=up)
    place = exact.adjusted() - digits + 1
    rounding = ROUND_CEILING if up else ROUND_HALF_EVEN
    rounded = exact.quantize(Decimal(1).scaleb(min(place, 0)), rounding, _EXACT)
    size = abs(float(rounded))
    if size < _SMALLEST_IN_DIGITS or size >= _LARGEST_IN_WORDS:
        mantissa = exact.scaleb(-exact.adjusted())
        shown = mantissa.quantize(Decimal(1).scaleb(1 - digits), rounding, _EXACT)
        return _scientific(shown.normalize(), exact.adjusted())
    for power, word in _WORDS:
        if size >= 10**power:
            short = exact.quantize(Decimal(1).scaleb(place), rounding, _EXACT)
            return f"{_plain(short.scaleb(-power))} {word}"
    return _plain(rounded)


def _scientific(mantissa: Decimal, exponent: int) -> str:
    if abs(mantissa) == 10:  # noqa: PLR2004 - rounded up to the next power
        mantissa, exponent = mantissa / 10, exponent + 1
    power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return power if mantissa == 1 else _signed(f"{mantissa:f} × {power}")


def delta_text(delta: float) -> str:
    """Return a delta for readers who use no powers of ten: with how many that is.

    Rounded up, as it is a limit.

    >>> delta_text(1e-5), delta_text(2.5e-6), delta_text(0.01)
    ('0.00001 (1 in 100,000)', '0.0000025 (1 in 400,000)', '0.01 (1 in 100)')
    >>> delta_text(3e-5), delta_text(0.0)
    ('0.00003 (1 in 33,333)', '0')
    """
    if delta == 0:
        return "0"
    exact = _to_round(delta, up=True)
    place = Decimal(1).scaleb(exact.adjusted() - _DIGITS + 1)
    digits = _plain(exact.quantize(place, ROUND_CEILING, _EXACT))
    # Down, so that the share is no smaller than what is said.
    return f"{digits} (1 in {math.floor(1 / exact):,})"


def in_full(number: float, digits: int = 12) -> str:
    """Return a public number with every digit that was declared or typed.

    >>> in_full(150_000.0), in_full(0.1), in_full(-2.5e-9), in_full(-math.inf)
    ('150,000', '0.1', '−2.5 × 10⁻⁹', '−∞')
    """
    if not math.isfinite(number):
        return significant(number)
    written, _, exponent = f"{number:,.{digits}g}".partition("e")
    return _scientific(Decimal(written), int(exponent)) if exponent else _signed(written)


def capital(text: str) -> str:
    """Return text that begins a sentence; a symbol such as ε stays as it is.

    >>> capital("mean of pay"), capital("ε = 0.5 is left")
    ('Mean of pay', 'ε = 0.5 is left')
    """
    return text if text[:1] in _SYMBOLS else text[:1].upper() + text[1:]


def epsilon_text(epsilon: float) -> str:
    """Return a privacy parameter with 3 significant digits, rounded up.

    >>> epsilon_text(1.48981), epsilon_text(0.5), epsilon_text(1e-6)
    ('1.49', '0.5', '10⁻⁶')
    >>> epsilon_text(0.1 + 0.2), epsilon_text(0.30000001)
    ('0.3', '0.301')
    """
    return significant(epsilon, up=True)


def rounded(epsilons: Iterable[float]) -> list[float]:
    """Return losses with the digits that ``epsilon_text`` shows, for lists of them.

    >>> rounded([1.48181, 0.5])
    [1.49, 0.5]
    """
    found = []
    for epsilon in map(float, epsilons):
        if epsilon == 0 or not math.isfinite(epsilon):
            found.append(epsilon)
            continue
        exact = _to_round(epsilon, up=True)
        place = Decimal(1).scaleb(exact.adjusted() - _DIGITS + 1)
        found.append(float(exact.quantize(place, ROUND_CEILING, _EXACT)))
    return found


def interval_ends(low: float, high: float) -> tuple[str, str]:
    """Return the ends of an interval, rounded outwards as its length justifies.

    >>> interval_ends(6.8749, 7.6065), interval_ends(0.0, 1.0)
    (('6.87', '7.61'), ('0.00', '1.00'))
    >>> interval_ends(7.001, 7.999)
    ('7.00', '8.00')
    """
    error = (high - low) / 2
    return (
        measured(low, error, rounding=ROUND_FLOOR),
        measured(high, error, rounding=ROUND_CEILING),
    )


def measured(value: float, error: float, *, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return ``value`` with no more digits than its ``error`` justifies.

    Two digits of the error are kept.

    >>> measured(54.23456, 1.3), measured(0.123456, 0.00012), measured(7.0, 0.0)
    ('54.2', '0.12346', '7')
    >>> measured(53487.2, 1300.0), measured(1548782888.0, 2.84e9), measured(7.0, 1e9)
    ('53,500', '1.5 billion', '0')
    >>> measured(-0.2, 20.0), measured(-0.02, 3.0)
    ('0', '0.0')

    An end of an interval that is not 0 is not rounded to 0, which would be in the interval.

    >>> measured(7.3, 105.0, rounding=ROUND_FLOOR), measured(0.01, 105.0, rounding=ROUND_FLOOR)
    ('7', '0')
    """
    if not (math.isfinite(value) and math.isfinite(error)) or error <= 0:
        return significant(value, 6)
    exact = Decimal(repr(float(value)))
    place = Decimal(repr(float(error))).adjusted() - 1
    # More than 17 digits would be noise of the floating-point format.
    place = max(place, exact.adjusted() - 16)
    rounded = exact.quantize(Decimal(1).scaleb(place), rounding, _EXACT)
    if rounded == 0 and rounding != ROUND_HALF_EVEN and abs(value) > _READ_AS_ZERO * error:
        place = exact.adjusted()
        rounded = exact.quantize(Decimal(1).scaleb(place), rounding, _EXACT)
    if rounded == 0:
        # No number is "-0", though one below it may be rounded to it.
        rounded = abs(rounded)
    if rounded == 0 and place > 0:
        return "0"
    for power, word in _WORDS:
        if 10**power <= abs(rounded) < _LARGEST_IN_WORDS:
            return _signed(f"{rounded.scaleb(-power):,f} {word}")
    return _signed(f"{rounded:,f}")


def percent(share: float) -> str:
    """Return a share as a percentage, with more digits near 0% and 100%.

    A share that is nearly 0% or 100% is never written as if it were.

    >>> percent(0.7310), percent(0.9999), percent(0.5), percent(0.0)
    ('73%', '99.99%', '50%', '0%')
    >>> percent(1 - 1e-10), percent(1e-10)
    ('over 99.9999%', 'under 0.0001%')

    Nor is it written with more digits than anybody reads.

    >>> percent(12.5), percent(833333.33)
    ('1,250%', 'over 10,000%')
    """
    if share > _MOST_TIMES:
        return "over 10,000%"
    points = 100 * share
    edge = min(points, 100 - points)
    if 0 < edge < _LEAST_PERCENT:
        return "under 0.0001%" if share < 1 / 2 else "over 99.9999%"
    digits = 0 if edge >= 1 or edge <= 0 else -math.floor(math.log10(edge))
    return _signed(f"{points:,.{digits}f}%")


def three_digits(share: float) -> str:
    """Return a share as a percentage with three digits, of what it leaves, too.

    Enough for a ratio of two shares to be that of the numbers that are shown.

    >>> three_digits(0.0503), three_digits(0.99966), three_digits(1 / 3)
    ('5.03%', '99.966%', '33.3%')
    """
    points = 100 * share
    edge = min(points, 100 - points)
    digits = 0 if edge <= 0 else min(12, max(0, 2 - math.floor(math.log10(edge))))
    return f"{_plain(Decimal(f'{points:.{digits}f}'))}%"


def at_most(share: float) -> str:
    """Return an upper limit as a percentage, rounded up, with more digits near 100%.

    >>> at_most(0.62246), at_most(0.99995), at_most(0.5), at_most(0.50002)
    ('62.3%', '99.995%', '50%', '50.1%')
    """
    return _in_percent(share, 100 - 100 * share, ROUND_CEILING)


def at_least(share: float) -> str:
    """Return a lower limit as a percentage, rounded down, with more digits near 0.

    >>> at_least(0.2689), at_least(0.00005), at_least(0.5), at_least(0.0)
    ('26.8%', '0.005%', '50%', '0%')
    """
    return _in_percent(share, 100 * share, ROUND_FLOOR)


def nearest(share: float) -> str:
    """Return a known share as a percentage, with digits as a limit of it would have.

    >>> nearest(0.73106), nearest(0.99995), nearest(0.00005), nearest(0.5)
    ('73.1%', '99.995%', '0.005%', '50%')
    """
    points = 100 * share
    return _in_percent(share, min(points, 100 - points), ROUND_HALF_EVEN)


def _in_percent(share: float, edge: float, rounding: str) -> str:
    """Return a share with one digit after the point, and more below 1 at the edge."""
    digits = 1 if edge >= 1 or edge <= 0 else min(6, -math.floor(math.log10(edge)))
    place = Decimal(1).scaleb(-digits)
    points = Decimal(repr(100 * share)).quantize(place, rounding, _EXACT)
    return f"{_plain(points)}%"


def people(count: int, noun: str = "person") -> str:
    """Return a count of people in words.

    >>> people(1), people(20190), people(2, "household")
    ('1 person', '20,190 people', '2 households')
    """
    return f"{count:,} {noun if count == 1 else plural_of(noun)}"


def _to_round(number: float, *, up: bool) -> Decimal:
    """Return the number to be rounded.

    What is above a short number by the last bits of the format alone, as a sum of
    prices is, is that number: rounding it up would tell a price that nobody pays.
    """
    exact = Decimal(repr(float(number)))
    return _BEFORE_THE_LAST_BITS.plus(exact) if up else exact


def with_sign(number: float) -> str:
    """Return a number that is read as a shift: one above 0 has its sign, too.

    >>> with_sign(0.01234), with_sign(-2.0), with_sign(0.0)
    ('+0.0123', '−2', '0')
    """
    return f"{'+' if number > 0 else ''}{significant(number)}"


def _plain(number: Decimal) -> str:
    text = _signed(f"{number:,f}")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(text: str) -> str:
    """Return a written number with the sign of a minus instead of a hyphen."""
    return text.replace("-", "−")


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return names that all differ: whoever repeats one gets a number.

    >>> distinct(["a", "b", "a", "a (2)"])
    ('a', 'b', 'a (2)', 'a (2) (2)')
    """
    found: dict[str, None] = {}
    for name in names:
        numbered, place = name, 2
        while numbered in found:
            numbered, place = f"{name} ({place})", place + 1
        found[numbered] = None
    return tuple(found)


def brief(name: str, most: int = 20) -> str:
    """Return a name that came with the data, cut to ``most`` characters.

    >>> brief("age"), brief("a name that goes on and on")
    ('age', 'a name that goes on…')
    """
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def listed(names: Sequence[str], *, by: str = ", ") -> str:
    """Return the first three names, and how many there are beside.

    >>> listed(["a", "b"]), listed(list("abcde"))
    ('a, b', 'a, b, c and 2 more')
    """
    others = len(names) - _NAMED
    return by.join(names[:_NAMED]) + (f" and {others} more" if others > 0 else "")


def plural_of(noun: str) -> str:
    """Return the usual plural of a noun, which a curator may replace.

    >>> plural_of("person"), plural_of("household"), plural_of("person-year")
    ('people', 'households', 'person-years')
    >>> plural_of("city"), plural_of("survey"), plural_of("box")
    ('cities', 'surveys', 'boxes')
    """
    for singular, plural in _IRREGULAR.items():
        before = noun.removesuffix(singular)
        if before != noun and before[-1:] in {"", " ", "-"}:
            return before + plural
    if noun.endswith("y") and noun[-2:-1] not in {"", *_VOWELS}:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_HISSING) else f"{noun}s"


def singular_of(unit: str) -> str:
    """Return one of what a unit counts, as after "per"; what is no plain plural stays.

    >>> singular_of("years"), singular_of("people"), singular_of("inches"), singular_of("loan")
    ('year', 'person', 'inch', 'loan')
    >>> singular_of("degrees Celsius"), singular_of("kbps"), singular_of("percentage points")
    ('degrees Celsius', 'kbps', 'percentage point')
    """
    if not unit.islower() or unit.endswith(_NO_PLURALS) or not {*unit} & {*_VOWELS}:
        return unit
    ones = (*_IRREGULAR, f"{unit[:-3]}y", unit[:-2], unit[:-1])
    return next((one for one in ones if plural_of(one) == unit), unit)


def with_article(noun: str) -> str:
    """Return a noun after its indefinite article.

    >>> with_article("household"), with_article("employee"), with_article("unit")
    ('a household', 'an employee', 'a unit')
    """
    first = noun.casefold()
    vowel = first.startswith(tuple(_VOWELS)) and not first.startswith(_SPOKEN_AS_CONSONANT)
    return f"{'an' if vowel or first.startswith(_SPOKEN_AS_VOWEL) else 'a'} {noun}"
