"""What notice and report claim, each sentence with what it follows from.

A document may say nothing about privacy or error that does not stand here or in
``assumptions``. ``tests/documents/test_claims.py`` reads every sentence that the documents
write, and fails at one that it does not know.
"""

from __future__ import annotations

from typing import Final

from dpcore.documents.context import DocumentContext
from dpcore.figures.attackers import counted
from dpcore.formatting import capital, delta_text
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.studies.meaning.attacker import Guarantee

_LARGEST: Final = 700.0
"""Above this ε, ``e^ε`` is no float: the limit is no limit."""
UNLIMITED: Final = "There is no limit on what an attacker can learn."
NOISE: Final = "95% range for the figure without noise"
"""Heading of the ranges for the data.

An interval of level 0.95 around a release holds the number that would be released
without noise, after clamping and imputation, with probability 0.95 or more over the
noise alone, whatever the table is (``dpcore.inference``). All numbers of a release hold
together (Bonferroni, or exactly), so that each by itself holds at least as often. What
is written is rounded outwards (``releases.digits.ends_text``), which only adds to it.
"""
TOTAL: Final = "95% range for the population"
"""Heading of the ranges for the population, where the table is declared a sample.

Over noise and sampling together, for a simple random sample (``dpcore.inference``): the
error of sampling is bounded or estimated from released numbers, and added.
"""
TOGETHER: Final = "All ranges in this table hold together with 95% confidence."
"""By ``NOISE``: the level of a release is that of all its numbers at once."""
ALTERED: Final = (
    "Each figure is deliberately altered at random. This limits what can be learned "
    "about any one {one}."
)
"""Each mechanism draws from a law whose scale is above 0, and a release is the draw,
or is computed from the draw alone. The limit is that of ``named_rightly``."""
SAMPLE: Final = "The ranges for the population assume that the table is a simple random sample."
"""The assumption of ``dpcore.inference``: rows are independent draws from it."""
INDEPENDENT: Final = (
    "Figures from different questions contain independent noise. Two figures about the "
    "same group can differ for this reason alone."
)
"""Each release draws once, from the operating system's secure source."""
BELOW_ZERO: Final = "A count below 0 is an effect of noise. True counts are 0 or more."
"""Noise has support below 0, a count of rows has not: the range is cut at 0."""
SUMS: Final = "Counts are rounded to their noise. Totals can differ from the sum of the parts."
"""Totals are sums of unrounded noisy counts (``analyses.cross_table``), and each
number is rounded by its own range: sums of rounded numbers are other numbers."""
GROUP_SIZES: Final = (
    "Group sizes were released with these figures: each group’s figure is computed "
    "from noisy sums and a noisy count."
)
"""``statistics.moments``: sums and counts of all groups are one vector, drawn once."""
COUNTS: Final = (
    "The figures of groups are computed from noisy sums and noisy counts. The counts "
    "are part of the same release and cost nothing more. A count of 0 does not show "
    "that a group is empty: its range shows how large it can be."
)
"""The vector of sums and counts is charged as one draw, and what is computed of a draw
costs nothing (post-processing). Noise moves a count of any size to 0 with positive
probability."""
PRICES: Final = "Costs are rounded up to three digits. Their sum can exceed the amount charged."
"""``formatting.significant(up=True)`` never rounds down, so that sums of it are no less
than the exact sum, which is charged."""
DIGEST: Final = (
    "Each entry contains the digest of the entry before it. With this digest, anyone "
    "can check later that no earlier entry was changed."
)
"""``ledger.chain``: a digest of an entry is SHA-256 over its content and the
digest before, so that another history with the same last digest is a collision."""
FIXED: Final = (
    "These four totals hold because a plan is fixed before its first answer. The "
    "smallest is charged."
)
"""Each of the four is a valid composition of a fixed list of events, so that the least
of them is one (``privacy.composition``)."""
CHOSEN: Final = (
    "The account adds up costs, because each release may be chosen after seeing "
    "earlier ones. The tighter totals hold only for costs that were fixed beforehand."
)
"""Sums of ε and δ, or of ρ, stay valid where the cost of a release depends on earlier
answers (Rogers et al. 2016; Feldman and Zrnic 2021). Advanced composition and sums of
privacy loss distributions are theorems about costs that are fixed."""
UNBOUNDED: Final = "∞: this way of counting has no bound for these questions."
"""``compose`` returns infinity where an event has no ρ."""
# The ranges are for the statistic as computed (``NOISE``); account and ledger know only
# what was written into them; no program can see how a bound was chosen.
GAPS: Final = (
    (
        "The owner of each row was declared: one row per owner, a stated maximum, or "
        "an ID column. The program cannot check this declaration."
    ),
    (
        "Bounds, categories and minimum sizes must be chosen without looking at the "
        "table. A choice made by looking reveals something that no budget counts."
    ),
    (
        "Only releases of this account are counted. The curator declares which tables "
        "are about the same {many} and share an account."
    ),
    ("The ranges do not include the effects of clamping, imputation and minimum sizes."),
    "The program does not hide the time and memory that a computation takes.",
    (
        "For some models the data shape the noise: posterior samples and objective "
        "perturbation. Their exact draws are transformed and rounded to a public "
        "grid. This closes the known leaks of floating-point noise and is no proof."
    ),
    (
        "A person with access to the ledger and its key can delete both, or restore "
        "older copies. The ledger then no longer shows what was spent."
    ),
)
"""Known not to be covered: none of it is in an assumption that can be checked."""
_AFTER: Final = "The limit does not depend on computing power or on data that become public later."
_KNOWN: Final = "Facts that an attacker knew from other sources remain known to the attacker."


def neighbors(relation: NeighboringRelation, unit: PrivacyUnit) -> str:
    """Return in what neighboring tables differ, in the curator's noun.

    ``PrivacyUnit``: a unit is one row, or all rows that it owns.

    >>> from dpcore.relations import PrivacyUnit
    >>> neighbors(NeighboringRelation.ADD_REMOVE, PrivacyUnit(noun="household"))
    'one household added or removed'
    >>> neighbors(NeighboringRelation.SUBSTITUTION, PrivacyUnit(rows=3))
    'all rows of one person replaced by others'
    """
    whose = f"all rows of one {unit.noun}" if unit.several else f"one {unit.noun}"
    if relation is NeighboringRelation.ADD_REMOVE:
        return f"{whose} added or removed"
    if unit.several:
        return f"{whose} replaced by others"
    return f"one {unit.noun}’s record replaced by another"


def cases(epsilon: float, delta: float) -> str:
    """Return how often an attacker names the right one of two possibilities, at most.

    Two neighboring tables are equally likely. The best rule errs least if it decides
    for the table under which the output is likelier, and is then right with probability
    ``(1 + TV) / 2``, ``TV`` the total variation of the two laws of the output. Under
    (ε, δ)-DP, ``TV <= δ + (1 - δ) tanh(ε / 2)`` (Kairouz, Oh and Viswanath 2015), so
    that at δ 0 the rule is right with probability ``e^ε / (1 + e^ε)`` at most. This
    bounds the accuracy over both tables, not the probability of an output under either:
    at ε 1 one of them may give an output with 0.90 where the other gives it with 0.729.
    Rounded up.

    >>> cases(1.0, 0.0), cases(20.0, 1e-5)
    ('at most 74 of 100 cases', 'practically all cases')
    """
    sure = Guarantee(epsilon=epsilon, delta=delta)
    right, of = counted(float(sure.best_guess(0.5)))
    return "practically all cases" if right == of else f"at most {right:,} of {of:,} cases"


def is_limited(epsilon: float, delta: float) -> bool:
    """Tell whether a guarantee limits anything, as far as floats tell."""
    return 0 < epsilon <= _LARGEST and 0 <= delta < 1


def accuracy(epsilon: float, delta: float, *, about: str) -> str:
    """Return the attacker's accuracy under a guarantee, as a clause.

    By ``cases``. ``about`` says whom the possibilities are about.

    >>> accuracy(1.0, 0.0, about="one person").removeprefix("an attacker names the ")
    'right one of two possibilities about one person in at most 74 of 100 cases'
    """
    if not is_limited(epsilon, delta):
        return "no limit on what an attacker can learn"
    return (
        f"an attacker names the right one of two possibilities about {about} in "
        f"{cases(epsilon, delta)}"
    )


def named_rightly(subject: DocumentContext) -> tuple[str, ...]:
    """Return what all questions together let an attacker learn; nothing without cost.

    By ``cases``, at the ε and δ of all questions together: what the account charged
    composes to at most their sums (``budget_filter``). The attacker of the definition
    knows everything but which of the two neighboring tables is there, and an attacker
    who knows less does no better. Without the figures both tables are as likely as
    before: 50 of 100.
    """
    epsilon, delta = subject.guarantee
    if not is_limited(epsilon, delta):
        return ()
    unit = subject.facts.unit
    two = f"the {unit.noun}’s own data or other data in their place"
    if subject.facts.relation is NeighboringRelation.ADD_REMOVE:
        two = f"the {unit.noun}’s data or no such data"
    return (
        f"Consider two possibilities for one {unit.noun}: the table holds {two}.",
        "An attacker knows everything else and sees all figures.",
        (
            "With both possibilities equally likely beforehand, the attacker names the "
            f"right one in {cases(epsilon, delta)}."
        ),
        "Without the figures, the attacker is right in 50 of 100 cases.",
    )


def if_all_is_used(subject: DocumentContext) -> tuple[str, ...]:
    """Return the same for the whole limit, with what δ is and what stays known.

    The account refuses a release whose cost would take its sums above the limit, so
    that ``cases`` holds at the limit, whatever is released. ``cases`` contains δ; a
    sentence such as "fails with probability δ at most" does not follow from (ε, δ)-DP
    and is not written. DP bounds the change of a belief, not the belief before.
    """
    epsilon, delta = subject.facts.total
    if not is_limited(epsilon, delta):
        return (UNLIMITED,)
    most = cases(epsilon, delta)
    whole = (
        "The whole limit is used. Nothing more can be released under it."
        if subject.used_up
        else f"With the whole limit used, the attacker is right in {most}."
    )
    included = f"This includes δ = {delta_text(delta)}." if delta else ""
    return tuple(filter(None, (whole, included, _KNOWN)))


def not_learned(subject: DocumentContext) -> tuple[str, ...]:
    """Return what stays hidden, from whom, and what the limit does not cover.

    "Beyond this limit": ``cases`` holds for each pair of neighboring tables, so for
    each unit, and for what anyone computes of the figures (post-processing), now or
    later, from any other data. "For every": the sensitivity behind each price is a
    maximum over all tables. "Conclusions about the group": two tables that differ in
    one unit lead to the same conclusions, up to the limit, so that they do not rest on
    that unit. The last sentence is about other sources than these figures.
    """
    one, many = subject.one, subject.many
    return (
        (f"Nothing beyond this limit can be learned about any one {one} from these figures."),
        f"The limit holds for every {one}, also for {many} with unusual values.",
        _AFTER,
        (
            "Conclusions about the whole group also apply to its members. The limit "
            f"does not protect {subject.facts.unit.indefinite} from such conclusions."
        ),
        (
            "The limit does not cover access to the table itself. It does not cover "
            f"figures about the same {many} that are published elsewhere."
        ),
    )


def asking_again() -> str:
    """Return what the same question brings when it is asked again.

    The ledger returns the stored answer of a draw, and a new draw is charged
    (``ledger.transaction``).
    """
    return "Repeating a question returns the same answer at no cost. A new draw is charged again."


def uncovered(subject: DocumentContext) -> tuple[str, ...]:
    """Return what the limit does not cover: what its definition does not speak of.

    DP is a property of the releases of one account, for the declared unit, given
    public bounds; a unit with more rows is protected less (group privacy).
    """
    unit = subject.facts.unit
    return (
        "The table itself, if it is stolen, lost or passed on.",
        (
            f"Releases about the same {subject.many} on another account or elsewhere. "
            "Their costs add up and are not counted here."
        ),
        "Bounds, categories or questions that were chosen by looking at the table.",
        f"Conclusions about a group that {unit.indefinite} belongs to.",
        _several(unit),
        *(text.format(many=subject.many) for text in GAPS),
    )


def _several(unit: PrivacyUnit) -> str:
    """Return who is protected less, having more rows than was declared.

    Group privacy: k rows of one owner lose at most k times the ε of one row.
    """
    one = capital(unit.indefinite)
    if unit.cap is not None:
        return f"{one} whose rows have several IDs. The limit holds for each ID."
    if unit.rows == 1:
        return (
            f"{one} with several rows. The limit holds for each row, and the "
            "losses of the rows add up."
        )
    return f"{one} with more than {unit.rows:,} rows."


def published_number(subject: DocumentContext) -> str:
    """Return what is public about the number of units, or of those of each table.

    Under substitution with one row a unit all neighbors have as many rows, so that
    their number reveals nothing. Else neighbors differ in it, and it is protected.
    """
    known, number = subject.sizes, subject.facts.number
    if subject.tables and known:
        told = "; ".join(
            f"“{name}”: {known[name]:,}" if name in known else f"“{name}”: not published"
            for name in subject.tables
        )
        return f"{told} (published without noise)"
    if number is None:
        return "Not published: this number is protected"
    return f"{number:,}, published without noise"


def clamping(bounds: str, *, planned: bool) -> str:
    """Return how values outside the bounds are counted.

    Each statistic clamps its values to the declared bounds before it computes
    (``Interval.clip`` in ``statistics``), so that the figure without noise of ``NOISE``
    is that of the clamped values. Planned errors are of the same kind.
    """
    of = "The stated errors" if planned else "The ranges"
    return (
        f"Values outside public bounds are clamped to the nearest bound ({bounds}). "
        f"{of} do not include the effect of clamping."
    )


def minimum(least: int, counted: str, named: str) -> str:
    """Return the size that a figure assumes where the number of units is private.

    Means are ``c + sum(x - c) / max(n, least)`` with ``c`` the middle of the bounds,
    and variances and covariances ``SS / (max(n, least) - 1)``: the plain statistics
    from ``least`` units on. Below, means are drawn to ``c``, and the others to 0.
    """
    return (
        f"A public minimum of {least:,} {counted} is assumed for: {named}. With fewer, "
        "these figures are biased."
    )
