"""Every limit of an account holds: of its periods, and of the whole, on every day."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpcore.errors import BudgetExceeded, LedgerError, ParameterError
from dpcore.ledger import chain, people, periods, scheduling
from dpcore.ledger.account import by_period, by_table, person_totals
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.periods import BudgetPeriod
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from tests.releases.sample_releases import TENTH, spend
from tests.releases.test_people import Q3, Q4, begin_ledger_anew, join

RELATION = NeighboringRelation.SUBSTITUTION
FIRST = date(2026, 8, 3)


@dataclass
class Clock:
    day: date = FIRST

    def __call__(self):
        return datetime.combine(self.day, datetime.min.time(), UTC)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(chain, "now", clock)
    return clock


def period(name, begins, ends, epsilon=0.2, **more):
    budget = PrivacyBudget.of(epsilon=epsilon)
    return BudgetPeriod(name=name, begins=begins, ends=ends, budget=budget, **more)


Q3_2026 = period("Q3 2026", date(2026, 7, 1), date(2026, 9, 30))
Q4_2026 = period("Q4 2026", date(2026, 10, 1), date(2026, 12, 31))
YEAR = period("2026", date(2026, 1, 1), date(2026, 12, 31), 0.5)


def opened(ledger, *new):
    for one in new:
        scheduling.open_period(ledger, "table", one)
    return ledger.account("table")


@pytest.fixture
def dated(clock, ledger):  # noqa: ARG001 - in this order
    """A ledger whose account is as old as the clock says, whatever the time is now."""
    return ledger


def test_a_quarter_limits_inside_a_year_inside_the_account(dated, clock):
    opened(dated, YEAR, Q3_2026)
    for name in ("a", "b"):
        spend(dated, name)
    with pytest.raises(BudgetExceeded, match="until the end of “Q3 2026”"):
        spend(dated, "c")
    assert spend(dated, "b").values == (41.25,)
    clock.day = Q4_2026.begins
    with pytest.raises(BudgetExceeded, match=r"divided.*Open the next period"):
        spend(dated, "c")
    with pytest.raises(ParameterError, match=r"and ε = 0.3, δ = 0 is left of “2026”"):
        opened(dated, replace(Q4_2026, budget=PrivacyBudget.of(epsilon=0.4)))
    account = opened(dated, replace(Q4_2026, budget=PrivacyBudget.of(epsilon=0.3)))
    assert account.remaining.epsilon == Decimal("0.3")
    for name in ("c", "d", "e"):
        spend(dated, name)
    with pytest.raises(BudgetExceeded, match="until the end of “2026”, “Q4 2026”"):
        spend(dated, "f")
    clock.day = date(2027, 1, 1)
    with pytest.raises(BudgetExceeded, match="no period of this account holds"):
        spend(dated, "f")
    account = dated.account("table")
    assert account.remaining.epsilon == 0
    assert not account.admits(TENTH)
    assert [cost.epsilon for _, cost in by_period(account)] == [Decimal("0.2"), Decimal("0.3")]
    dated.verify()


def test_what_is_closed_stays_closed(dated, clock):
    opened(dated, YEAR, Q3_2026)
    spend(dated, "a")
    scheduling.close_period(dated, "table", "Q3 2026", reason="enough")
    for refused, said in (
        (lambda: scheduling.close_period(dated, "table", "Q3 2026", reason="x"), "no o"),
        (lambda: scheduling.close_period(dated, "table", "Q9", reason="x"), "no open"),
        (lambda: scheduling.close_period(dated, "table", "2026", reason=" "), "reason"),
        (lambda: scheduling.close_account(dated, "table", reason=""), "needs a reason"),
        (lambda: spend(dated, "b"), "“Q3 2026” was closed"),
        (lambda: opened(dated, replace(Q3_2026, name="again")), "must not overlap"),
        (
            lambda: opened(dated, period("week", date(2026, 8, 1), date(2026, 8, 7), 0.1)),
            "is closed",
        ),
    ):
        with pytest.raises((ParameterError, BudgetExceeded), match=said):
            refused()
    clock.day = date(2026, 10, 1)
    opened(dated, Q4_2026)
    spend(dated, "b")
    scheduling.close_account(dated, "table", reason="the project is over")
    for refused in (
        lambda: spend(dated, "c"),
        lambda: scheduling.close_account(dated, "table", reason="twice"),
        lambda: scheduling.close_period(dated, "table", "2026", reason="x"),
        lambda: opened(dated, period("next", date(2027, 1, 1), date(2027, 1, 9))),
        lambda: dated.change_budget("table", PrivacyBudget.of(epsilon=9.0), "more"),
    ):
        with pytest.raises(LedgerError, match="closed, and cannot be charged"):
            refused()
    account = dated.account("table")
    assert (account.closed, account.remaining.epsilon) == ("the project is over", 0)
    assert spend(dated, "a").values == (41.25,)
    assert len(dated.releases("table")) == 2
    # A later table of these people comes to a closed account, and not to a new one.
    join(dated)
    with pytest.raises(LedgerError, match="closed"):
        spend(dated, "d", fingerprint="next")
    dated.verify()


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (period("over", date(2026, 7, 1), date(2026, 8, 2)), "end today or later"),
        (
            period("much", date(2026, 10, 1), date(2026, 12, 31), 0.4),
            "ε = 0.4, δ = 0 is left of “2026”",
        ),
        (
            period("all", date(2027, 1, 1), date(2027, 1, 2), 0.6),
            "ε = 0.9, δ = 0 is left of the whole",
        ),
        (
            period("week", date(2026, 9, 1), date(2026, 9, 7), 0.2),
            "ε = 0.1, δ = 0 is left of “Q3 2026”",
        ),
        (period("half", date(2026, 9, 1), date(2026, 10, 31)), "must not overlap"),
        (period("Q3 2026", date(2026, 10, 1), date(2026, 12, 31)), "already"),
        (period("less", date(2026, 8, 1), date(2026, 8, 31), 0.05), "already spent in this"),
        (
            BudgetPeriod(
                name="rho",
                begins=date(2027, 1, 1),
                ends=date(2027, 1, 2),
                budget=PrivacyBudget.of(rho=0.1),
            ),
            "same privacy definition",
        ),
    ],
)
@pytest.mark.parametrize("ledger", ["memory"], indirect=True)
def test_a_period_that_does_not_fit_is_refused(dated, new, said):
    opened(dated, YEAR, Q3_2026)
    spend(dated, "a")
    before = dated.history("table")
    with pytest.raises(ParameterError, match=said):
        opened(dated, new)
    assert dated.history("table") == before


@pytest.mark.parametrize("ledger", ["memory"], indirect=True)
def test_the_refusal_names_the_limit_that_is_too_large_and_the_most_it_can_be(dated):
    account = opened(dated, replace(YEAR, budget=PrivacyBudget.of(epsilon=0.5)), Q3_2026)
    spend(dated, "a")
    account = dated.account("table")
    for new in (Q4_2026, period("all", date(2027, 1, 1), date(2027, 1, 2))):
        least, most = periods.room(account.periods, new, account.budget, account.spent, FIRST)
        assert least == PrivacyCost()
        for budget, said in (
            (PrivacyBudget(epsilon=most.epsilon, delta=most.delta), None),
            (PrivacyBudget(epsilon=most.epsilon, delta=Decimal("1E-6")), "at most δ = 0, or"),
            (
                PrivacyBudget(epsilon=most.epsilon + Decimal("1E-6"), delta=most.delta),
                f"at most ε = {most.epsilon.normalize()}, or",
            ),
        ):
            fits = replace(new, budget=budget)
            if said is None:
                periods.check(account.periods, fits, account.budget, account.spent, FIRST)
                continue
            with pytest.raises(ParameterError, match=said):
                periods.check(account.periods, fits, account.budget, account.spent, FIRST)
    around = period("half", date(2026, 7, 1), date(2026, 12, 31), 0.15)
    with pytest.raises(ParameterError, match=r"Choose at least ε = 0.2, δ = 0, or lower"):
        opened(dated, around)


def test_a_period_that_is_none_cannot_be_made():
    with pytest.raises(ParameterError, match="end before it begins"):
        period("x", date(2026, 2, 1), date(2026, 1, 1))
    for name in ("", " ", "x" * 101):
        with pytest.raises(ParameterError, match="needs a name"):
            period(name, date(2026, 1, 1), date(2026, 1, 1))


def test_a_clock_that_is_set_back_gives_no_old_budget_back(dated, clock):
    opened(dated, Q3_2026, Q4_2026)
    clock.day = Q4_2026.begins
    spend(dated, "a")
    clock.day = FIRST
    account = dated.account("table")
    assert (account.day, account.current) == (Q4_2026.begins, account.periods[1:])
    spend(dated, "b")
    with pytest.raises(BudgetExceeded):
        spend(dated, "c")
    third, fourth = dated.account("table").periods
    assert (third.spent.epsilon, fourth.spent.epsilon) == (0, Decimal("0.2"))
    # What is opened later counts the same days.
    late = period("October", Q4_2026.begins, date(2026, 10, 31))
    assert scheduling.open_period(dated, "table", late).spent == fourth.spent


def test_a_clock_that_jumps_ahead_and_back_moves_no_period_unless_it_paid(dated, clock):
    opened(dated, Q3_2026, Q4_2026)
    for jump in (date(2126, 1, 1), FIRST, Q4_2026.begins, FIRST):
        clock.day = jump
        dated.account("table")
    spend(dated, "a")
    assert dated.account("table").periods[0].spent.epsilon == TENTH.epsilon
    clock.day = date(2126, 1, 1)
    with pytest.raises(BudgetExceeded):
        spend(dated, "b")
    clock.day = FIRST
    spend(dated, "b")
    with pytest.raises(BudgetExceeded):
        spend(dated, "c")
    assert dated.account("table").periods[0].spent == dated.account("table").spent


def change(ledger, name, epsilon, reason="the board decided"):
    budget = PrivacyBudget.of(epsilon=epsilon)
    scheduling.change_period(ledger, "table", name, budget, reason=reason)


def test_the_limit_of_a_period_is_changed_on_record(dated, clock):
    opened(dated, YEAR, Q3_2026)
    for name in ("a", "b"):
        spend(dated, name)
    for name, epsilon, reason, said in (
        ("Q3 2026", 0.15, "x", "was already spent in this period"),
        ("Q3 2026", 0.6, "x", "and ε = 0.3, δ = 0 is left of “2026”"),
        ("2026", 0.19, "x", "was already spent in this period"),
        ("2026", 1.5, "x", "ε = 0.8, δ = 0 is left of the whole account"),
        ("Q9", 0.3, "x", "no open period"),
        ("2026", 0.5, " ", "needs a reason"),
    ):
        with pytest.raises(ParameterError, match=said):
            change(dated, name, epsilon, reason)
    change(dated, "Q3 2026", 0.3)
    spend(dated, "c")
    with pytest.raises(BudgetExceeded, match="“Q3 2026”"):
        spend(dated, "d")
    last = [e for e in dated.history("table") if e.kind == "period"][-1].content
    assert last["reason"] == "the board decided"
    opened(dated, Q4_2026)
    clock.day = Q4_2026.begins
    with pytest.raises(ParameterError, match="end today or later"):
        change(dated, "Q3 2026", 0.4)
    scheduling.close_period(dated, "table", "Q4 2026", reason="x")
    with pytest.raises(ParameterError, match="no open period"):
        change(dated, "Q4 2026", 0.3)
    dated.verify()


@pytest.mark.usefixtures("clock")
def test_two_tabs_open_the_same_quarter_once(place):
    ledger = place.ledger()
    ledger.open_account("table", PrivacyBudget.of(epsilon=5.0), RELATION)
    opened(ledger, Q3_2026)
    tabs = [place.ledger(machine) for machine in range(4)]

    def work(number):
        tab = tabs[number % 4]
        found = scheduling.open_period(tab, "table", Q4_2026)
        for _ in range(3):
            try:
                spend(tab, f"s-{number}-{_}")
            except BudgetExceeded:
                return found, False
        return found, True

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(8)))
    assert {found.name for found, _ in done} == {"Q4 2026"}
    assert not all(paid for _, paid in done)
    account = ledger.account("table")
    assert [one.name for one in account.periods] == ["Q3 2026", "Q4 2026"]
    assert account.spent == account.periods[0].spent == TENTH + TENTH
    other = replace(Q4_2026, budget=PrivacyBudget.of(epsilon=0.1))
    with pytest.raises(ParameterError, match="there is a period “Q4 2026” already"):
        scheduling.open_period(ledger, "table", other)
    ledger.verify()


@pytest.mark.usefixtures("clock")
def test_periods_outlive_a_ledger_that_is_begun_anew(place):
    ledger = place.ledger()
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), RELATION)
    opened(ledger, YEAR, Q3_2026)
    spend(ledger, "a")
    before = ledger.account("table")
    begin_ledger_anew(place, ledger)
    after = place.ledger().account("table")
    assert (after.periods, after.spent) == (before.periods, before.spent)
    spend(place.ledger(), "b")
    with pytest.raises(BudgetExceeded):
        spend(place.ledger(), "c")


def test_the_sum_over_tables_and_over_accounts_is_what_was_spent(dated):
    people.describe(dated, "table", Q3)
    join(dated, about=Q4)
    spend(dated, "a")
    for name in ("b", "c"):
        spend(dated, name, fingerprint="next")
    dated.open_account("else", PrivacyBudget.of(epsilon=1.0), RELATION)
    spend(dated, "d", fingerprint="else")
    dated.open_account("left", PrivacyBudget.of(epsilon=1.0), RELATION, 3)
    account = dated.account("table")
    parts = by_table(account, dated.history("table"))
    assert parts == {"table": TENTH, "next": TENTH + TENTH}
    one, other = person_totals(dated.accounts())
    assert one.spent == TENTH + TENTH + TENTH + TENTH
    assert (len(one.accounts), other.unit_rows) == (2, 3)
    assert by_period(account) == ((None, account.spent),)


@dataclass
class Model:
    """The rules once more, as plainly as can be, in whole numbers."""

    cap: int
    spent: int = 0
    today: date = FIRST
    periods: list = field(default_factory=list)

    def promised(self):
        """Return what the open periods leave, and what is left around each of them."""
        for whole in (None, *self.periods):
            left = self.cap - self.spent if whole is None else whole["cap"] - whole["spent"]
            parts = [
                one["cap"] - one["spent"]
                for one in self.periods
                if not one["closed"] and one["last"] >= self.today
                if next((p for p in self.periods if _holds(p, one)), None) is whole
            ]
            yield sum(parts), left

    def pays(self, cost):
        here = [p for p in self.periods if p["first"] <= self.today <= p["last"]]
        inner = min(here, key=lambda p: p["last"] - p["first"], default=None)
        if self.periods and (inner is None or any(p["closed"] for p in here)):
            return False
        for p in self.periods:
            inside = inner["first"] <= p["first"] and p["last"] <= inner["last"]
            if p is not inner and inside:
                return False
        rooms = [p["cap"] - p["spent"] for p in here]
        if min([self.cap - self.spent, *rooms]) < cost:
            return False
        self.spent += cost
        for p in here:
            p["spent"] += cost
        return True


def _holds(whole, part):
    return whole is not part and whole["first"] <= part["first"] and part["last"] <= whole["last"]


_STEPS = st.one_of(
    st.tuples(st.just("spend"), st.integers(1, 4)),
    st.tuples(st.just("pass"), st.integers(-60, 120)),
    st.tuples(st.sampled_from(["quarter", "year"]), st.integers(1, 9)),
    st.tuples(st.just("close"), st.integers(0, 5)),
)


_SET_BACK_FIRST = [("spend", 1), ("pass", -34), ("quarter", 1), ("spend", 1), ("quarter", 2)]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 30), st.lists(_STEPS, max_size=25))
@example(3, _SET_BACK_FIRST)
def test_random_histories_equal_a_simple_model(cap, steps):
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock()
        patch.setattr(chain, "now", clock)
        ledger = Ledger.in_memory()
        ledger.open_account("table", PrivacyBudget.of(epsilon=float(cap)), RELATION)
        join(ledger)
        model = Model(cap=cap)
        for number, (kind, size) in enumerate(steps):
            _step(ledger, model, clock, (kind, size), number)
            _compare(ledger.account("table"), model)
        ledger.verify()


def _step(ledger, model, clock, step, number):
    kind, size = step
    if kind == "pass":
        clock.day += timedelta(days=size)
        return
    before = model.today
    model.today = max(before, clock.day) if model.periods else clock.day
    if kind == "spend":
        cost = PrivacyCost.of(epsilon=float(size))
        try:
            table = "next" if number % 2 else "table"
            spend(ledger, f"s-{number}", cost=cost, fingerprint=table)
            done = True
        except BudgetExceeded:
            done = False
        assert done is model.pays(size)
    elif kind == "close":
        done = size < len(model.periods) and not model.periods[size]["closed"]
        if done:
            name = model.periods[size]["name"]
            scheduling.close_period(ledger, "table", name, reason="x")
            model.periods[size]["closed"] = True
    else:
        done = _open(ledger, model, kind, size)
    if not done:
        model.today = before


def _open(ledger, model, kind, size):
    known = ledger.account("table").periods
    length = 365 if kind == "year" else 90
    day = periods.next_day(known, model.today, length)
    span = periods.year(day) if kind == "year" else periods.quarter(day)
    try:
        made = scheduling.open_period(ledger, "table", period(*span, epsilon=float(size)))
    except ParameterError:
        return False
    model.periods.append(
        {
            "name": made.name,
            "first": made.begins,
            "last": made.ends,
            "cap": size,
            "spent": int(made.spent.epsilon),
            "closed": False,
        }
    )
    return True


def _compare(account, model):
    assert account.spent.epsilon == model.spent <= model.cap
    assert [one.spent.epsilon for one in account.periods] == [one["spent"] for one in model.periods]
    assert all(one["spent"] <= one["cap"] for one in model.periods)
    assert all(promised <= left for promised, left in model.promised())
    parts = sum((cost.epsilon for _, cost in by_period(account)), Decimal())
    assert parts == model.spent
    left = account.remaining.epsilon
    assert account.admits(PrivacyCost(epsilon=left)) is (account.bar is None)
    assert not account.admits(PrivacyCost(epsilon=left + 1))
