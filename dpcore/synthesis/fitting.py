"""The nearest counts that could be those of a table.

Noisy counts are no counts: some are negative, and tables that share a column disagree
about it. The fitted ones are at least 0, agree, and stay within the intervals of the
release if anything can: what the table really holds is within all of them, but for the
probability that was said, and so is a solution. Among such counts, those are taken
whose distances from the released ones, in half-widths, have the least sum: a linear
program, solved by the dual simplex of HiGHS, whose answers are corners.

Whole people are made of the fitted counts such that everything still agrees. Sums are
rounded by largest remainders, which moves none by a person or more. The cells of a pair
of columns are then the whole numbers nearest to the fitted ones that have these sums: a
transport problem, whose best corners are whole (its matrix is totally unimodular).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog
from scipy.special import xlogy

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.quantities import is_whole, quantity_of
from dpcore.errors import ParameterError
from dpcore.synthesis.released_counts import Axis, Counted

if TYPE_CHECKING:
    from scipy.sparse import spmatrix

_SLACK = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """Counts that agree. PUBLIC.

    Attributes:
        counts: For each of the kept counts of the forest, in that order, real numbers
            of at least 0 in the same shape.
        people: What each of them sums to.
        stretch: By how much the intervals had to be widened, in half-widths; 0 where
            all counts lie within theirs.

    """

    counts: tuple[FloatArray, ...]
    people: float
    stretch: float


def fit(forest: Forest) -> Fitted:
    """Return the nearest counts that agree.

    Raises:
        ParameterError: There are no counts.

    """
    if not forest.kept:
        raise ParameterError("a synthetic table needs released counts of at least one column.")
    program = _Program.of(forest)
    found = program.solve(0.0)
    stretch = 0.0
    if found is None:
        stretch = program.least_stretch()
        found = program.solve(stretch * (1 + _SLACK) + _SLACK)
    if found is None:  # the solver's own tolerance
        raise ParameterError("these counts could not be made to agree.")
    parts = np.split(found, np.cumsum(program.sizes)[:-1])
    counts = tuple(
        part.reshape(one.counts.shape) for part, one in zip(parts, forest.kept, strict=True)
    )
    return Fitted(counts=counts, people=float(counts[0].sum()), stretch=stretch)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Program:
    """Unknown counts ``x`` and their distances ``d``, one after another.

    ``agree`` holds the equations of ``x`` alone, with ``right`` on their right.
    """

    released: FloatArray
    low: FloatArray
    high: FloatArray
    widths: FloatArray
    agree: sparse.csr_matrix
    right: FloatArray
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, forest: Forest) -> _Program:
        kept = forest.kept
        ends = np.concatenate([one.ends.reshape(-1, 2) for one in kept])
        agree, right = _equations(kept)
        return cls(
            released=np.concatenate([one.counts.ravel() for one in kept]),
            low=ends[:, 0],
            high=ends[:, 1],
            widths=np.concatenate([one.widths.ravel() for one in kept]),
            agree=agree,
            right=right,
            sizes=tuple(one.counts.size for one in kept),
        )

    def solve(self, stretch: float) -> FloatArray | None:
        """Return the nearest counts within the stretched intervals, if there are."""
        number = len(self.released)
        one = sparse.identity(number)
        none = sparse.csr_matrix((len(self.right), number))
        off = sparse.vstack([sparse.hstack([one, -one]), sparse.hstack([-one, -one])])
        low = np.maximum(self.low - stretch * self.widths, 0.0)
        inside = np.stack([low, np.maximum(self.high + stretch * self.widths, 0.0)], axis=1)
        found = least(
            np.concatenate([np.zeros(number), 1 / self.widths]),
            equal=(sparse.hstack([self.agree, none]), self.right),
            below=(off, np.concatenate([self.released, -self.released])),
            within=np.concatenate([inside, _positive(number)]),
        )
        return None if found is None else np.maximum(found[:number], 0.0)

    def least_stretch(self) -> float:
        """Return by how many half-widths the intervals have to be widened at least."""
        number = len(self.released)
        one, wider = sparse.identity(number), sparse.csr_matrix(-self.widths[:, None])
        none = sparse.csr_matrix((len(self.right), 1))
        off: Any = [sparse.hstack([one, wider]), sparse.hstack([-one, wider])]
        found = least(
            np.append(np.zeros(number), 1.0),
            equal=(sparse.hstack([self.agree, none]), self.right),
            below=(sparse.vstack(off), np.concatenate([self.high, -self.low])),
            within=_positive(number + 1),
        )
        return np.inf if found is None else float(found[-1])


def _positive(number: int) -> FloatArray:
    return np.tile([0.0, np.inf], (number, 1))


def _equations(kept: Sequence[Counted]) -> tuple[sparse.csr_matrix, FloatArray]:
    """Return that counts of a column agree, and that all sum to the same number."""
    sums = [_sums(kept, place) for place in range(len(kept))]
    public = next((one.people for one in kept if one.people is not None), None)
    rows: list[sparse.csr_matrix] = []
    right: list[float] = []
    if public is not None:
        rows.append(sums[0][None])
        right.append(float(public))
    first: dict[str, sparse.csr_matrix] = {}
    total = sums[0][None]
    for place, one in enumerate(kept):
        rows.append(sums[place][None] - total)
        right.append(0.0)
        for axis in one.axes:
            own = sums[place][axis.name]
            if axis.name in first:
                rows.append(own - first[axis.name])
                right += [0.0] * own.shape[0]
            else:
                first[axis.name] = own
    return sparse.csr_matrix(sparse.vstack(rows)), np.array(right)


def _sums(kept: Sequence[Counted], place: int) -> dict[str | None, sparse.csr_matrix]:
    """Return how the counts of each column, and of everybody, follow from unknowns."""
    before = sum(one.counts.size for one in kept[:place])
    number = sum(one.counts.size for one in kept)
    own = kept[place]
    at = before + np.arange(own.counts.size)
    cells = np.indices(own.counts.shape).reshape(len(own.axes), -1)

    def of(cell: NDArray[np.intp], size: int) -> sparse.csr_matrix:
        return sparse.csr_matrix((np.ones(len(at)), (cell, at)), shape=(size, number))

    known: dict[str | None, sparse.csr_matrix] = {
        axis.name: of(cells[i], len(axis.names)) for i, axis in enumerate(own.axes)
    }
    known[None] = of(np.zeros(len(at), dtype=int), 1)
    return known


def least(
    cost: FloatArray,
    *,
    equal: tuple[spmatrix, FloatArray],
    below: tuple[spmatrix, FloatArray] | None = None,
    within: FloatArray,
) -> FloatArray | None:
    """Return where ``cost @ x`` is least; ``None`` if nothing meets the conditions.

    Args:
        cost: Shape ``(k,)``.
        equal: A sparse matrix and what its product with ``x`` is.
        below: A sparse matrix and what its product with ``x`` does not exceed.
        within: The least and the most of each number, shape ``(k, 2)``.

    """
    upper: dict[str, Any] = {}
    if below is not None:
        upper = {"A_ub": below[0], "b_ub": below[1]}
    solve: Any = linprog
    found = solve(cost, A_eq=equal[0], b_eq=equal[1], bounds=within, method="highs-ds", **upper)
    return np.asarray(found.x) if found.status == 0 else None


MOST_ROWS: Final = 1_000_000
"""People in a synthetic table; of more, every hundredth or so is as good an example."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WholeCounts:
    """Whole numbers of people. PUBLIC.

    Attributes:
        people: How many rows the synthetic table has.
        columns: For each column by name, how many give each answer.
        pairs: For each of the pairs of the forest, how many give both answers.

    """

    people: int
    columns: Mapping[str, NDArray[np.int64]]
    pairs: tuple[NDArray[np.int64], ...]


def whole(forest: Forest, fitted: Fitted) -> WholeCounts:
    """Return whole counts that agree, near the fitted ones.

    Raises:
        ParameterError: The released counts leave nobody.

    """
    *_, last = whole_steps(forest, fitted)
    return last


def whole_steps(forest: Forest, fitted: Fitted) -> Iterator[WholeCounts]:
    """Yield the same, after each of the pairs, with those that are rounded already.

    Raises:
        ParameterError: The released counts leave nobody.

    """
    people = min(round(fitted.people), MOST_ROWS)
    if people < 1:
        raise ParameterError(
            "by the released counts there is nobody in the table: their noise is "
            "larger than the table. Release counts of fewer or larger groups, or at a "
            "larger ε."
        )
    scale = people / fitted.people
    sums: dict[str, FloatArray] = {}
    for one, counts in zip(forest.kept, fitted.counts, strict=True):
        for axis, name in enumerate(one.names):
            along = tuple(i for i in range(counts.ndim) if i != axis)
            sums.setdefault(name, counts.sum(axis=along) * scale)
    columns = {name: apportion(parts, people) for name, parts in sums.items()}
    found = WholeCounts(people=people, columns=columns, pairs=())
    yield found
    for one, counts in zip(forest.pairs, fitted.counts[len(forest.singles) :], strict=True):
        rows, across = (columns[name] for name in one.names)
        pair = rounded(counts * scale, rows=rows, columns=across)
        found = replace(found, pairs=(*found.pairs, pair))
        yield found


def apportion(parts: FloatArray, people: int) -> NDArray[np.int64]:
    """Return whole parts with the sum ``people``, by largest remainders (Hamilton).

    Args:
        parts: At least 0, with about that sum.
        people: What they shall sum to.

    >>> apportion(np.array([1.4, 1.3, 1.3]), 4).tolist()
    [2, 1, 1]

    """
    exact = parts * (people / parts.sum())
    floor = np.floor(exact)
    missing = people - int(floor.sum())
    given = np.argsort(floor - exact, kind="stable")[:missing]
    floor[given] += 1
    return np.asarray(floor, dtype=np.int64)


def rounded(
    cells: FloatArray, *, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the whole numbers nearest to ``cells`` that have these sums.

    The sum of the distances is the least one. A cell may go to the next whole number
    below or above, and beyond where the sums ask for it; each has its price.

    >>> rounded(np.array([[0.5, 0.5], [0.5, 0.5]]), rows=np.array([1, 1]),
    ...     columns=np.array([1, 1])).sum(axis=0).tolist()
    [1, 1]

    """
    floor = np.floor(cells + 1e-9).ravel()
    rest = np.clip(cells.ravel() - floor, 0.0, 1.0)
    number = len(floor)
    place = np.indices(cells.shape).reshape(2, -1)
    ones, at = np.ones(number), np.arange(number)
    of_rows = sparse.csr_matrix((ones, (place[0], at)), shape=(len(rows), number))
    of_columns = sparse.csr_matrix((ones, (place[1], at)), shape=(len(columns), number))
    sums = sparse.vstack([of_rows, of_columns])
    wanted = np.concatenate([rows, columns]) - sums @ floor
    most = np.full((3, number), np.inf)
    most[0], most[2] = 1.0, floor
    found = least(
        np.concatenate([1 - 2 * rest, ones, ones]),
        equal=(sparse.hstack([sums, sums, -sums]), wanted),
        within=np.stack([np.zeros(3 * number), most.ravel()], axis=1),
    )
    if found is None:  # rows and columns with equal sums always have a solution
        raise ParameterError("the counts of two columns could not be rounded together.")
    up, more, down = np.rint(found).reshape(3, number)
    return np.asarray((floor + up + more - down).reshape(cells.shape), dtype=np.int64)


# Which released counts one synthetic table can keep all at once.
#
# Tables of pairs of columns that make no ring can be chained: the answer of one column is
# drawn given that of its neighbor, and every pair has the counts that it shall have. Of
# more pairs, those are kept that tell the most (Chow and Liu 1968): the tree of the
# greatest sum of mutual information, estimated from the released counts alone.

OTHER_CELLS = "its column is counted in other bins or answers elsewhere"
RING = "it would close a ring; the pairs that are kept tell more"
NOISIER = "the same was released with less noise"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forest:
    """Counts that one table can keep, and those that it cannot. PUBLIC.

    Attributes:
        axes: Every column once, with its cells.
        singles: Counts of one column.
        pairs: Counts of two columns that make no ring, each after those that lead to
            its first column.
        left_out: Other counts, with why they are not kept.

    """

    axes: tuple[Axis, ...]
    singles: tuple[Counted, ...]
    pairs: tuple[Counted, ...]
    left_out: tuple[tuple[Counted, str], ...]

    @property
    def kept(self) -> tuple[Counted, ...]:
        """Return all counts that are kept."""
        return (*self.singles, *self.pairs)


def plant(counted: Sequence[Counted]) -> Forest:
    """Return which of the released counts a table shall keep.

    A column that was counted in several ways is taken as it was counted most often; of
    the same question asked twice, the answer with the least noise is taken.
    """
    chosen = _cells_of_each(counted)
    left_out = [
        (one, OTHER_CELLS)
        for one in counted
        if any(axis.cells != chosen[axis.name].cells for axis in one.axes)
    ]
    fitting = [one for one in counted if all(one is not out for out, _ in left_out)]
    best, noisier = _least_noise(fitting)
    pairs, rings = _without_rings([one for one in best if len(one.axes) > 1])
    left_out += [(one, NOISIER) for one in noisier] + [(one, RING) for one in rings]
    singles = tuple(one for one in best if len(one.axes) == 1)
    seen = {axis.name: axis for one in (*pairs, *singles) for axis in one.axes}
    return Forest(axes=tuple(seen.values()), singles=singles, pairs=pairs, left_out=tuple(left_out))


def mutual_information(counts: FloatArray) -> float:
    """Return how much one answer tells of the other, in nats; negative counts are 0.

    >>> round(mutual_information(np.array([[5.0, 0.0], [0.0, 5.0]])), 6)
    0.693147
    >>> mutual_information(np.array([[4.0, 2.0], [2.0, 1.0]])) < 1e-12
    True

    """
    held = np.maximum(counts, 0.0)
    total = held.sum()
    if total <= 0:
        return 0.0
    shares = held / total
    apart = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    inside = shares > 0
    return max(
        float(np.sum(xlogy(shares[inside], (shares / np.where(apart > 0, apart, 1.0))[inside]))),
        0.0,
    )


def _cells_of_each(counted: Iterable[Counted]) -> dict[str, Axis]:
    """Return for each column the cells that most of the counts share."""
    axes = [axis for one in counted for axis in one.axes]
    often = Counter((axis.name, axis.cells) for axis in axes)
    chosen: dict[str, Axis] = {}
    for axis in axes:
        known = chosen.get(axis.name)
        if known is None or _worth(axis, often) > _worth(known, often):
            chosen[axis.name] = axis
    return chosen


def _worth(axis: Axis, often: Mapping[Any, int]) -> tuple[int, int]:
    return often[axis.name, axis.cells], len(axis.names)


def _least_noise(counted: Iterable[Counted]) -> tuple[list[Counted], list[Counted]]:
    best: dict[frozenset[str], Counted] = {}
    noisier = []
    for one in counted:
        name = frozenset(one.names)
        known = best.get(name)
        if known is None:
            best[name] = one
        elif one.widths.mean() < known.widths.mean():
            best[name] = one
            noisier.append(known)
        else:
            noisier.append(one)
    return list(best.values()), noisier


def _without_rings(pairs: Iterable[Counted]) -> tuple[tuple[Counted, ...], list[Counted]]:
    """Return the pairs of the tree that tells the most, in order, and the others."""
    tree: dict[str, str] = {}
    kept, rings = [], []
    for one in sorted(pairs, key=lambda one: -mutual_information(one.counts)):
        first, second = (_root(tree, name) for name in one.names)
        if first == second:
            rings.append(one)
        else:
            tree[first] = second
            kept.append(one)
    return _in_order(kept), rings


def _root(tree: dict[str, str], name: str) -> str:
    while name in tree:
        name = tree[name]
    return name


def _in_order(pairs: list[Counted]) -> tuple[Counted, ...]:
    """Return pairs such that the first column of each is known, or begins a tree."""
    ordered: list[Counted] = []
    known: set[str] = set()
    waiting = list(pairs)
    while waiting:
        found = next((one for one in waiting if known.intersection(one.names)), waiting[0])
        waiting.remove(found)
        first = found.names[0] in known or found.names[1] not in known
        ordered.append(
            found
            if first
            else replace(
                found,
                axes=found.axes[::-1],
                counts=found.counts.T,
                ends=np.swapaxes(found.ends, 0, 1),
            )
        )
        known.update(found.names)
    return tuple(ordered)


# The rows of a synthetic table, dealt out by whole counts.

if TYPE_CHECKING:
    import pandas as pd


_EXACT: Final = 2**53
_STEPS = 2
"""A bin has at least a hundred values: two decimals of its width."""


def deal(
    forest: Forest,
    counts: WholeCounts,
    *,
    rng: np.random.Generator,
    whole_numbers: Collection[str] = (),
) -> pd.DataFrame:
    """Return a synthetic table with exactly these counts, its rows in random order.

    Answers of a pair are dealt out within those who share the first one, blindly:
    nothing hangs together that no kept pair holds together. A number is drawn evenly
    from its bin.

    Args:
        forest: What the columns are.
        counts: How many give each answer, and each pair of answers.
        rng: Shuffles the rows, and draws numbers within their bins.
        whole_numbers: Names of the columns whose numbers are whole.

    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    cells: dict[str, NDArray[np.int64]] = {}
    for one, table in zip(forest.pairs, counts.pairs, strict=True):
        first, second = one.names
        if first not in cells:
            cells[first] = _shuffled(counts.columns[first], rng)
        cells[second] = _given(cells[first], table, rng)
    for axis in forest.axes:
        if axis.name not in cells:
            cells[axis.name] = _shuffled(counts.columns[axis.name], rng)
    return pd.DataFrame(
        {
            axis.name: _answers(
                axis,
                cells[axis.name],
                whole=axis.name in whole_numbers or is_whole(axis.column),
                rng=rng,
            )
            for axis in forest.axes
        }
    )


def as_written(synthetic: pd.DataFrame, columns: Iterable[Column]) -> pd.DataFrame:
    """Return a synthetic table with its dates as text, and whole numbers without a point."""
    shown = synthetic.copy(deep=False)
    for column in columns:
        quantity = quantity_of(column)
        if quantity.is_date and column.name in shown:
            days = shown[column.name]
            shown[column.name] = [
                None if math.isnan(day) else quantity.exactly(day) for day in days
            ]
        elif column.kind.is_numeric and column.name in shown:
            known = shown[column.name].dropna()
            if ((known % 1 == 0) & (known.abs() < _EXACT)).all():
                shown[column.name] = shown[column.name].astype("Int64")
    return shown


def _shuffled(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


def _given(
    first: NDArray[np.int64], table: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the second answer of everybody, given the first."""
    second = np.empty_like(first)
    for answer, counts in enumerate(table):
        second[first == answer] = _shuffled(counts, rng)
    return second


def _answers(
    axis: Axis, cells: NDArray[np.int64], *, whole: bool, rng: np.random.Generator
) -> FloatArray | NDArray[np.object_]:
    none = axis.has_no_value & (cells == len(axis.names) - 1)
    if axis.edges is None:
        found = np.array(axis.names, dtype=object)[cells]
        found[none] = None
        return found
    edges = np.asarray(axis.edges)
    cells = np.minimum(cells, len(edges) - 2)
    low, high = edges[:-1][cells], edges[1:][cells]
    spread = rng.random(len(cells))
    if whole:
        last = (cells == len(edges) - 2) & axis.has_last_edge
        drawn = _whole(low, high, last=last, spread=spread)
    else:
        # No more decimals than a bin can be meant to have, rounded down to stay inside.
        narrowest = float(np.diff(edges).min())
        step = 10.0 ** -max(_STEPS - math.floor(math.log10(narrowest)), 0)
        drawn = low + spread * (high - low)
        drawn = np.clip(np.floor(drawn / step) * step, low, high).round(15)
    return np.where(none, np.nan, drawn)


def _whole(
    low: FloatArray, high: FloatArray, *, last: NDArray[np.bool_], spread: FloatArray
) -> FloatArray:
    """Return whole numbers from bins that leave out their upper end, but for the last.

    A bin without a whole number gives the nearest one to its middle.
    """
    least = np.ceil(low)
    most = np.where(last, np.floor(high), np.ceil(high) - 1)
    number = most - least + 1
    drawn = least + np.floor(spread * number)
    return np.where(number >= 1, drawn, np.rint((low + high) / 2))
