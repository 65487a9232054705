"""The worst neighbor of a small table: found by trial, bounded by the formula."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.covariance import Covariance
from dpcore.statistics.pooled import GroupSizes, PooledVariance
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance
from dpcore.studies.teaching.explorable import EXPLORABLE
from dpcore.studies.teaching.neighbors import MOST_PEOPLE, sizes, worst_neighbor, worst_table
from dpcore.studies.teaching.small_tables import Columns, RecordChange, TableSetting, rank
from tests.terms import UNIT

WIDE = Interval(lower=-2.0, upper=3.0)
CORNERS = (0.0, 0.5, 1.0)
# The studio's own variances refuse tables whose neighbors might have none.
NEEDS_MORE = {"variance", "standard-deviation", "covariance"}
APPROACHED = {("correlation", RecordChange.ADDITION), ("correlation", RecordChange.REMOVAL)}


def rows(x, y=None, group=None):
    x = np.asarray(x, dtype=float)
    y = np.full(len(x), 0.5) if y is None else np.asarray(y, dtype=float)
    group = np.zeros(len(x)) if group is None else np.asarray(group, dtype=float)
    return np.column_stack([x, y, group])


def of_sizes(*people):
    """A table with groups of these sizes, everybody in the middle."""
    group = np.repeat(np.arange(len(people)), people)
    return rows(np.full(len(group), 0.5), group=group)


def worst_case(name, table, setting, change):
    return EXPLORABLE[name].sensitivity(sizes(table, setting), setting, change)


def local(name, table, setting, change):
    return worst_neighbor(EXPLORABLE[name], table, setting, change).local


def attained(name, table, setting, change):
    """The local sensitivity of the table that is said to be the worst."""
    return local(name, worst_table(EXPLORABLE[name], table, setting, change), setting, change)


@st.composite
def questions(draw):
    n = draw(st.integers(1, 7))
    lower = draw(st.sampled_from([-1000.0, -3.0, 0.0, 1.0, 1e6]))
    width = draw(st.sampled_from([1e-6, 1.0, 3.0, 1e5]))
    bounds = Interval(lower=lower, upper=lower + width)
    place = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)
    columns = st.lists(place, min_size=n, max_size=n)
    x, y = np.array(draw(columns)), np.array(draw(columns))
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    group = np.unique(labels, return_inverse=True)[1]
    setting = TableSetting(
        bounds=bounds,
        level=draw(st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0])),
        groups=int(group.max()) + 1 + draw(st.integers(0, 1)),
        group_is_public=draw(st.booleans()),
    )
    table = rows(lower + width * x, lower + width * y, group)
    name = draw(st.sampled_from(list(EXPLORABLE)))
    return name, table, setting, draw(st.sampled_from(list(RecordChange)))


@given(questions())
@settings(max_examples=120, deadline=None)
def test_no_table_exceeds_the_worst_case_and_the_worst_table_attains_it(question):
    name, table, setting, change = question
    try:
        most = worst_case(name, table, setting, change)
    except ParameterError:
        reject()
    found = local(name, table, setting, change)
    # Rounding: at an offset of 1e6 a width of 1e-6 keeps four digits.
    farthest = np.abs([setting.bounds.lower, setting.bounds.upper]).max()
    slack = 1e-15 * len(table) * farthest / setting.bounds.width
    assert found <= most * (1 + 1e-9 + slack)
    worst = attained(name, table, setting, change)
    if np.isinf(most):
        assert worst > 900 * (1 - slack)
        return
    near = 1e-2 if (name, change) in APPROACHED else 1e-9
    assert worst == pytest.approx(most, rel=near + slack)


def neighbors_by_hand(table, change, grid, setting):
    """All neighbors with values on the grid, one by one, without any cleverness."""
    n = len(table)
    groups = range(setting.groups)
    if change is RecordChange.REMOVAL:
        yield from (np.delete(table, i, axis=0) for i in range(n))
    for x, y, g in itertools.product(grid, grid, groups):
        if change is RecordChange.ADDITION:
            yield np.vstack([table, [x, y, g]])
        elif change is RecordChange.SUBSTITUTION:
            for i in range(n):
                if g == table[i, 2] or not setting.group_is_public:
                    yield np.vstack([np.delete(table, i, axis=0), [x, y, g]])


REFERENCE = {
    "mean": lambda t, _: np.mean(t[:, 0]),
    "sum": lambda t, _: np.sum(t[:, 0]),
    "count": lambda t, _: np.sum(t[:, 0] >= 0.5),
    "proportion": lambda t, _: np.mean(t[:, 0] >= 0.5),
    "median": lambda t, _: np.median(t[:, 0]),
    "quantile": lambda t, s: np.quantile(t[:, 0], s.level, method="inverted_cdf"),
    "variance": lambda t, _: np.var(t[:, 0], ddof=1),
    "population-variance": lambda t, _: np.var(t[:, 0]),
    "standard-deviation": lambda t, _: np.std(t[:, 0], ddof=1),
    "pooled-variance": lambda t, s: (
        sum(
            np.var(t[t[:, 2] == g, 0]) * np.sum(t[:, 2] == g)
            for g in range(s.groups)
            if np.any(t[:, 2] == g)
        )
        / (len(t) - s.groups)
    ),
    "covariance": lambda t, _: np.cov(t[:, 0], t[:, 1])[0, 1],
    "correlation": lambda t, _: np.corrcoef(t[:, 0], t[:, 1])[0, 1],
    "slope": lambda t, _: np.polyfit(t[:, 0], t[:, 1], 1)[0],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPLORABLE)
@pytest.mark.parametrize("change", RecordChange)
def test_search_finds_what_trying_by_hand_finds(name, change):
    rng = np.random.default_rng(7)
    setting = TableSetting(bounds=UNIT, level=0.4, groups=2, group_is_public=False)
    for n in (4, 5, 6):
        table = rows(rng.random(n), rng.random(n), np.arange(n) % 2)
        value = REFERENCE[name]
        here = value(table, setting)
        found = worst_neighbor(EXPLORABLE[name], table, setting, change)
        assert found.here == pytest.approx(here)
        fine = np.linspace(0, 1, 21)
        by_hand = max(
            abs(value(other, setting) - here)
            for other in neighbors_by_hand(table, change, fine, setting)
        )
        assert found.local >= by_hand * (1 - 1e-9)
        # The neighbor that is shown has the value that is shown.
        kept = table if found.person is None else np.delete(table, found.person, 0)
        shown = kept if found.record is None else np.vstack([kept, found.record])
        assert found.there == pytest.approx(value(shown, setting))
        assert found.local == pytest.approx(abs(found.there - found.here))


LIMITED = [
    (name, change)
    for name, change in itertools.product(EXPLORABLE, RecordChange)
    if np.isfinite(worst_case(name, rows([0] * 3), TableSetting(bounds=UNIT), change))
]


@pytest.mark.parametrize(("name", "change"), LIMITED)
@pytest.mark.parametrize("n", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_worst_case_is_the_largest_change_over_all_tables_of_a_grid(name, change, n):
    statistic = EXPLORABLE[name]
    setting = TableSetting(bounds=UNIT, level=0.3)
    seconds = CORNERS if statistic.columns is Columns.TWO else (0.5,)
    records = list(itertools.product(CORNERS, seconds))
    largest = max(
        local(name, rows(*zip(*table, strict=True)), setting, change)
        for table in itertools.combinations_with_replacement(records, n)
    )
    most = worst_case(name, rows([0] * n), setting, change)
    assert largest <= most * (1 + 1e-12)
    if (name, change) not in APPROACHED:
        assert largest == pytest.approx(most)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("mean", Mean),
        ("sum", Sum),
        ("variance", Variance),
        ("standard-deviation", StandardDeviation),
    ],
)
def test_value_is_that_of_the_statistic_that_is_released(name, known):
    bounds = Interval(lower=-2.0, upper=3.0)
    values = np.random.default_rng(2).uniform(-2, 3, 9)
    statistic = known(bounds=bounds, size=TableSize(people=9, public=True))
    got = EXPLORABLE[name].value(rows(values), TableSetting(bounds=bounds))
    assert got == pytest.approx(float(statistic.value(values)[0]))


def test_covariance_is_that_of_the_statistic_that_is_released():
    bounds = Interval(lower=-2.0, upper=3.0)
    pairs = np.random.default_rng(3).uniform(-2, 3, (9, 2))
    statistic = Covariance(bounds=(bounds, bounds), size=TableSize(people=9, public=True))
    got = EXPLORABLE["covariance"].value(rows(*pairs.T), TableSetting(bounds=bounds))
    assert got == pytest.approx(float(statistic.value(pairs)[0]))


@pytest.mark.parametrize("people", [(6,), (4, 2), (2, 2, 2, 2), (3, 3, 3)])
@pytest.mark.parametrize("public", [True, False])
def test_pooled_variance_is_that_of_the_statistic_that_is_released(people, public):
    known = PooledVariance(bounds=WIDE, groups=GroupSizes(sizes=people, labels_public=public))
    setting = TableSetting(bounds=WIDE, groups=len(people), group_is_public=public)
    table = of_sizes(*people)
    table[:, 0] = np.random.default_rng(4).uniform(-2, 3, len(table))
    got = EXPLORABLE["pooled-variance"].value(table, setting)
    assert got == pytest.approx(float(known.value(table[:, [0, 2]])[0]))
    relations = {
        NeighboringRelation.SUBSTITUTION: [RecordChange.SUBSTITUTION],
        NeighboringRelation.ADD_REMOVE: [RecordChange.ADDITION, RecordChange.REMOVAL],
    }
    for relation, changes in relations.items():
        if relation is NeighboringRelation.ADD_REMOVE and not public:
            continue
        most = max(worst_case("pooled-variance", table, setting, c) for c in changes)
        assert most == pytest.approx(known.sensitivity(relation).l1)


@pytest.mark.parametrize(("name", "known"), [("count", Count), ("proportion", Proportion)])
def test_members_are_those_in_the_upper_half(name, known):
    values = np.array([0.0, 0.49, 0.5, 0.9])
    statistic = known(size=TableSize(people=4, public=True))
    got = EXPLORABLE[name].value(rows(values), TableSetting(bounds=UNIT))
    assert got == pytest.approx(float(statistic.value(values >= 0.5)[0]))


def test_one_person_turns_the_correlation_around():
    table = rows([0] * 9 + [1], [0.5] * 9 + [1])
    found = worst_neighbor(
        EXPLORABLE["correlation"], table, TableSetting(bounds=UNIT), RecordChange.SUBSTITUTION
    )
    assert (found.here, found.there) == pytest.approx((1, -1))
    assert found.person == 9
    assert found.undefined > 0


def test_slope_has_no_limit_where_the_others_share_one_x_and_one_elsewhere():
    change, setting = RecordChange.SUBSTITUTION, TableSetting(bounds=UNIT)
    table = rows([0.2, 0.2, 0.2, 0.9], [0, 0.5, 1, 1])
    found = worst_neighbor(EXPLORABLE["slope"], table, setting, change)
    assert found.reach.tolist()[:3] != [np.inf] * 3
    assert found.reach[3] == np.inf
    assert found.person == 3
    spread = rows([0.0, 0.3, 0.7, 1.0], [0, 0.5, 1, 1])
    assert np.isfinite(local("slope", spread, setting, change))


def test_slope_of_a_newcomer_is_found_between_the_grid_points():
    table = rows([0.0, 0.01, 0.02], [0.0, 0.02, 0.01])
    change, setting = RecordChange.ADDITION, TableSetting(bounds=UNIT)
    here = REFERENCE["slope"](table, setting)
    fine = np.linspace(0, 1, 20_001)
    slopes = [
        EXPLORABLE["slope"].value(
            np.concatenate(
                [
                    np.broadcast_to(table, (len(fine), 3, 3)),
                    rows(fine, np.full(len(fine), y))[:, np.newaxis],
                ],
                axis=1,
            ),
            setting,
        )
        for y in (0.0, 1.0)
    ]
    most = np.abs(np.concatenate(slopes) - here).max()
    assert local("slope", table, setting, change) == pytest.approx(most, rel=1e-3)


def test_reach_is_told_for_everybody():
    table = rows([0.0, 0.5, 1.0])
    setting = TableSetting(bounds=UNIT)
    found = worst_neighbor(EXPLORABLE["mean"], table, setting, RecordChange.SUBSTITUTION)
    assert found.reach == pytest.approx(np.array([1, 0.5, 1]) / 3)
    removed = worst_neighbor(EXPLORABLE["mean"], table, setting, RecordChange.REMOVAL)
    assert removed.reach == pytest.approx([0.25, 0, 0.25])
    assert removed.record is None
    added = worst_neighbor(EXPLORABLE["mean"], table, setting, RecordChange.ADDITION)
    assert added.reach == pytest.approx([0.125])
    assert added.person is None


def test_values_beyond_the_bounds_are_clamped():
    wild, tame = rows([-5.0, 0.5, np.inf]), rows([0.0, 0.5, 1.0])
    for change in RecordChange:
        first, second = (
            worst_neighbor(EXPLORABLE["mean"], t, TableSetting(bounds=UNIT), change)
            for t in (wild, tame)
        )
        assert first.here == second.here
        assert first.reach == pytest.approx(second.reach)


@pytest.mark.parametrize("name", EXPLORABLE)
@pytest.mark.parametrize("change", RecordChange)
def test_one_person_alone_is_answered_or_refused_in_words(name, change):
    table, setting = rows([0.7]), TableSetting(bounds=UNIT)
    found = worst_neighbor(EXPLORABLE[name], table, setting, change)
    assert found.local >= 0
    if name in {"sum", "count"}:
        assert worst_case(name, table, setting, change) == 1.0
        return
    try:
        most = worst_case(name, table, setting, change)
    except ParameterError:
        assert np.isnan(found.here + found.there) or name in NEEDS_MORE
    else:
        assert most >= found.local


@pytest.mark.parametrize("n", [0, MOST_PEOPLE + 1])
def test_empty_and_large_tables_are_refused(n):
    with pytest.raises(ParameterError, match="1 to 12 people"):
        worst_neighbor(
            EXPLORABLE["mean"], rows([0.5] * n), TableSetting(bounds=UNIT), RecordChange.REMOVAL
        )


def test_statistic_without_a_value_has_no_worst_neighbor():
    table = rows([0.5] * 4, [0, 1, 0, 1])
    found = worst_neighbor(
        EXPLORABLE["slope"], table, TableSetting(bounds=UNIT), RecordChange.SUBSTITUTION
    )
    assert np.isnan(found.here)
    assert found.local == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"bounds": Interval(lower=0.0, upper=0.0)},
        {"bounds": Interval(lower=0.0, upper=np.inf)},
        {"bounds": UNIT, "level": 1.5},
        {"bounds": UNIT, "level": np.nan},
        {"bounds": UNIT, "groups": 0},
    ],
)
def test_setting_outside_its_domain_is_refused(wrong):
    with pytest.raises(ParameterError):
        TableSetting(**wrong)


@given(st.integers(1, 60), st.integers(0, 20))
@example(10, 14)
def test_rank_is_the_usual_one(people, twentieths):
    level = twentieths / 20
    values = np.arange(people)
    expected = values[max(0, -(-twentieths * people // 20) - 1)]
    assert values[rank(people, level) - 1] == expected
