"""Every sentence of notice and report is known, and follows from the mathematics.

``CLAIMS`` lists what the two documents may say. Each entry names what establishes it: a
test of this file, or the function or constant whose docstring has the derivation. A
sentence that matches no entry fails.
"""

import contextlib
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses import secure
from dpcore.analyses.measurement import Direct
from dpcore.analyses.number import Query
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.documents import claims
from dpcore.documents.context import cost_text, remaining_text
from dpcore.documents.gathering import planned, released
from dpcore.documents.notice import notice
from dpcore.documents.report import methods, report
from dpcore.errors import BudgetExceeded
from dpcore.figures.risks import risk_text
from dpcore.formatting import delta_text, significant
from dpcore.mechanisms.catalog import EVERY, EXPONENTIAL, LABEL_SELECTION
from dpcore.models.shrinkage import plain_fit
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.privacy.events import ApproximateEvent
from dpcore.privacy.tradeoff import of_events
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.digits import ends_text
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.meaning.attacker import Guarantee
from tests.conftest import ROOT, few
from tests.documents.subjects import (
    MEMBERS,
    answered,
    behind,
    charge,
    meant,
    opened,
    questions,
    table,
)
from tests.documents.test_counts_in_papers import several
from tests.documents.test_reading import compared, of_two_tables
from tests.releases import models
from tests.releases.questions import (
    AGE,
    asked,
    bounds,
    crossed,
    found_labels,
    labels,
    labels_in_rounds,
    terms,
)
from tests.releases.test_label_rounds import capped
from tests.statistics.columns import dataset
from tests.terms import ADD_REMOVE, SUBSTITUTION

_N = r"[\d.,]+"
CLAIMS = {
    # What can be learned.
    r"Each figure in the tables below is deliberately altered at random\.": "test_noise",
    r"The public number of \w+ is not altered\.": "claims.published_number",
    r"This limits what can be learned about any one \w+\.": "claims.learned",
    r"Consider two possibilities for one \w+: .*": "claims.learned",
    r"An attacker knows everything else and sees all figures\.": "claims.learned",
    r"With both possibilities equally likely beforehand, .*": "test_accuracy",
    r"Without the figures, the attacker is right 50% of the time\.": "test_accuracy",
    r"With the whole limit used, the attacker is right .*": "test_accuracy",
    rf"This includes δ = {_N} \(1 in {_N}\)\.": "test_delta",
    r"The whole limit is used\.": "test_budget",
    r"Nothing more can be released under it\.": "test_budget",
    r"Facts that an attacker knew .*": "claims.unprotected",
    r"Nothing beyond this limit can be learned .*": "claims.protected",
    r"The limit holds for every .*": "claims.protected",
    r"The limit does not depend on computing power .*": "claims.protected",
    r"Conclusions about the whole group .*": "claims.unprotected",
    r"The limit does not protect an? \w+ .*": "claims.unprotected",
    r"The limit does not cover access .*": "claims.unprotected",
    r"It does not cover figures about .*": "claims.unprotected",
    r"Repeating a question returns .* at no cost\.": "test_repeated_questions",
    r"A new draw is charged again\.": "test_repeated_questions",
    r"An attacker names the right one of two possibilities about one .*": "test_accuracy",
    r"ε \(epsilon\) and δ \(delta\) are the privacy parameters\.": "claims.SYMBOLS",
    r"Smaller values protect more\.": "test_accuracy",
    r"There is no limit on what an attacker can learn\.": "claims.learned",
    # What a figure is.
    r"This notice is for every \w+ with data in .*": "claims.unprotected",
    r"The (planned )?figures below describe .*": "claims.NOISE",
    rf"{_N} more (is|are) (in|on) the .*": "test_counts_in_papers",
    r"Group sizes were released with these figures: .*": "claims.GROUP_SIZES",
    r"They are (in|on) the .*": "test_counts_in_papers",
    r"Values outside public bounds are clamped: .*": "test_clamping_and_imputation",
    r"The (ranges|stated errors) do not include the effect of .*": "claims.clamping",
    rf"A public minimum of {_N}.* is assumed.*": "test_minimum",
    r"With fewer, these figures are biased\.": "test_minimum",
    r"Missing values are imputed: .*": "test_clamping_and_imputation",
    r"Missing values are left out\.": "test_left_out",
    r"Their number is not disclosed\.": "claims.UNTOLD",
    r"The group sizes show the number of missing values approximately\.": "claims.UNTOLD",
    r"No values are missing, as declared\.": "notice.missing_values",
    r"The (next sheet|full report) states how missing values are treated\.": (
        "notice.missing_values"
    ),
    r"In figures by .*, missing and unlisted values are in the group .*": "notice.missing_values",
    r"Comparisons of two groups of .* leave out .*": "notice.missing_values",
    r"The ranges for the population assume .*": "claims.SAMPLE",
    r"Figures from different questions contain .*": "claims.INDEPENDENT",
    r"Two figures about the same group can differ .*": "claims.INDEPENDENT",
    r"Released on \d{4}-\d\d-\d\d\.": "releases.record.Release",
    r"Clamped to public bounds \(.*\)\.": "test_clamping_and_imputation",
    r"Missing values \(.*\)\.": "notice.missing_values",
    r"All ranges of one kind in this table hold together with 95% confidence\.": "test_coverage",
    r"A published count below 0 is an effect of noise: .*": "claims.BELOW_ZERO",
    r"True counts are 0 or more\.": "claims.BELOW_ZERO",
    r"Counts are rounded according to their noise\.": "claims.SUMS",
    r"Totals can differ from the sum of their parts\.": "claims.SUMS",
    r"Group sizes do not count missing values of .*": "question.counted_column",
    r"Question ID: \w+\.": "releases.identity.mark_of",
    r"The figures of groups are computed from noisy sums .*": "claims.COUNTS",
    r"The counts are part of the same release .*": "claims.COUNTS",
    r"A count of 0 does not show that a group is empty: .*": "claims.COUNTS",
    r"Noise is the random change\.": "claims.noise",
    r"The figure without it is in the range with 95% confidence\.": "test_coverage",
    r"The margin of error covers it with 95% confidence\.": "test_coverage",
    r"“.*” means? all values that are not on the public list\.": "claims.others",
    # What a penalty does.
    r"Regression coefficients are shrunk together towards 0 by a penalty; .*": "test_penalized",
    r"They are not those of an ordinary least-squares fit .*": "test_penalized",
    r"Without it, coefficients can .* and can have another sign\.": "test_penalized",
    rf"A penalty of {_N} for {_N} \w+ shrinks coefficients: .*": "test_penalized",
    r"On the model scale, numbers are measured from .*": "claims.MODEL_SCALE",
    r"Regression coefficients are penalized: they are shrunk .*": "test_penalized",
    r"With several columns, one can also grow\.": "test_penalized",
    # What it costs.
    r"Costs are rounded up to three digits\.": "test_prices",
    r"Their sum can exceed the amount charged\.": "test_prices",
    r"Charged in total: .*": "test_charges",
    r"The account adds up costs, because .*": "claims.CHOSEN",
    r"The tighter totals hold only for costs .*": "claims.CHOSEN",
    r"A plan is fixed before its first answer, .*": "claims.FIXED",
    r"The smallest is charged\.": "claims.FIXED",
    r"∞: this composition method gives no bound for these questions\.": "claims.UNBOUNDED",
    r"The literature claims ε = .* for this mechanism\.": "question.DocumentEntry.claimed",
    r"Its actual cost is ε = .*, which is charged\.": "question.DocumentEntry.claimed",
    # What is known not to be covered.
    r"The costs of other accounts add up and are not counted here\.": "claims.gaps",
    r"For an? \w+ with .* rows, .*": "claims.gaps",
    r"The owner of each row was declared: .*": "claims.gaps",
    r"The program cannot check this declaration\.": "claims.gaps",
    r"Bounds, categories, minimum sizes and questions must be chosen .*": "claims.gaps",
    r"A choice made by looking is a leak .*": "claims.gaps",
    r"Bounds and labels found by a release are public\.": "claims.gaps",
    r"Only releases of this account are counted\.": "claims.gaps",
    r"The curator declares which tables .*": "claims.gaps",
    r"The ranges do not include the effects of clamping, .*": "claims.gaps",
    r"The program does not hide how much time .*": "claims.gaps",
    r"In posterior samples and objective perturbation .*": "claims.gaps",
    r"Their exact draws are transformed and rounded .*": "claims.gaps",
    r"This closes the known leaks of floating-point noise .*": "claims.gaps",
    r"A person with access to the ledger and its key .*": "claims.gaps",
    r"The ledger then no longer shows what was spent\.": "claims.gaps",
    r"Each entry contains the digest of the entry before it\.": "claims.DIGEST",
    r"With this digest, anyone can check later .*": "claims.DIGEST",
    r"The number of missing values is protected .*": "claims.UNTOLD",
    r"Released counts of known values reveal it only .*": "claims.UNTOLD",
    # The methods paragraph.
    r"(One answer|\d+ answers) (was|were|will be) released under .*": "",
    r"(One answer is|\d+ answers are) planned under differential privacy\.": "",
    r"(Together they cost|It costs) ε = .*\.": "test_charges",
    r"The limit of the account is ε = .*\.": "test_budget",
    r"The privacy unit is one .*": "statistics.neighbors",
    r"Neighboring tables differ by .*": "statistics.neighbors",
    r"Values are clamped to public bounds\.": "test_clamping_and_imputation",
    r"Missing values are (imputed|left out|counted) .*\.": "notice.missing_values",
    r"Mechanisms: .*": "",
    r"Gaussian noise is calibrated by .*": "test_citations",
    r"BIT is boundary-inflated truncation: .*": "test_citations",
    r"Quantiles are chosen by .*": "test_citations",
    r"The error of a quantile is bounded in ranks with 95% confidence\.": "question.ranks",
    r"The scale of Laplace noise is .*": "test_laplace_scale",
    r"Random numbers come from a secure source .*": "releases.secure",
    r"The total privacy cost is .*": "test_charges",
    r"A privacy filter adds up costs, because .*": "claims.CHOSEN",
    r"If all questions had been fixed before the first answer, .*": "privacy.composition.compose",
    r"Composition by privacy loss distributions .*": "privacy.composition.compose",
    r"With all questions fixed beforehand: Gaussian DP μ = .*": "privacy.tradeoff",
    r"Neighboring tables are at least as hard to tell apart as .*": "claims.MU",
    r"The regret is the largest gap between this bound and .*": "claims.MU",
    r"(Its|Their) trade-off function is summarized by Gaussian DP μ = .*": "privacy.tradeoff",
    r"A guess right 1 in 20 times becomes right at most .*": "test_risk",
    r"Intervals have 95% confidence .*": "test_coverage",
    r"They are computed from public numbers .*": "claims.NOISE",
    r"Computed with Epsilon Studio, version .*": "",
    # Where there is nothing to say.
    r"(No figures so far|None|Nothing so far: no figures were published)\.": "",
    r"The ledger has no entry yet\.": "",
}
ROOMS = {"claims": "claims.html.j2", "notice": "notice.html.j2"}
FACTS = {
    *("Published by", "Purpose", "People and period", "Budget periods", "Definitions"),
    *("Number of people", "Protected", "Limit for all figures", "Spent so far"),
    *("Cost of these figures", "Data curator"),
    *("Decision", "Privacy unit", "Neighboring tables", "Scope", "Budget", "Contact"),
    *("Spent so far", "Left", "Cost of this plan", "Questions", "Sampler of the noise"),
    *("Question", "Definition", "Unit", "Bounds", "Missing values", "Mechanism"),
    *("Sensitivity to one person", "Noise scale", "Privacy cost", "Intervals", "Question ID"),
    *("Margin of error (95%)", "Drawn", "Entries", "Last entry"),
    "Digest of the last entry (SHA-256)",
}
"""What is listed by name: declarations, parameters and charges, as recorded."""
NOISE, POPULATION = "95% range for the figure without noise", "95% range for the population"
HEADS = {
    *("figure", "published", NOISE, POPULATION, "released", "unit"),
    *("noise only", "with sampling", "error in ranks", "question", "answer"),
    *("margin of error (95%, noise only)", "margin of error (95%)", "mechanism"),
    *("ε", "δ", "ρ", "column", "meaning", "bounds or categories", "missing values"),
    *("composition", "when (UTC)", "from", "to", "reason"),
}


class Words(HTMLParser):
    """The texts of a page by their tags, and the rows of its tables."""

    def __init__(self, page):
        super().__init__()
        self.found, self.rows, self.inside = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        del attrs
        if tag not in {"meta", "br"}:
            self.inside.append(tag)
            self.found.append([tag, ""])
        if tag == "tr":
            self.rows.append([])
        elif tag in {"th", "td"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        if self.inside and self.found[-1][0] == self.inside[-1]:
            self.found[-1][1] += data
            if self.inside[-1] in {"th", "td"}:
                self.rows[-1][-1] += data

    def of(self, *tags):
        return [" ".join(text.split()) for tag, text in self.found if tag in tags]


def sentences(page):
    main = re.search("<main>.*</main>", page, flags=re.DOTALL)
    for text in filter(None, Words(main[0]).of("p", "li")):
        yield from re.split(r"(?<=[.?!])\s+(?=[A-Z∞“])", text)


def facts_of(page):
    words = Words(page)
    return list(zip(words.of("dt"), words.of("dd"), strict=True))


def nothing_left():
    subject = answered()
    nearly = PrivacyBudget.of(epsilon=float(subject.facts.spent.epsilon), delta=1e-5)
    return replace(subject, facts=replace(subject.facts, budget=nearly))


def without_a_limit():
    subject = answered()
    cost = PrivacyCost.of(epsilon=math.inf)
    return replace(subject, facts=replace(subject.facts, spent=cost))


def has_negative_counts():
    subject = answered()
    place, number = next(
        (place, number)
        for place, question in enumerate(subject.questions)
        for number in question.numbers
        if number.beside
    )
    below = replace(number, value="-5.8", noise="0.0 to 9.0")
    question = replace(subject.questions[place], numbers=(below, below))
    return replace(subject, questions=(question,))


def of_a_flawed_mechanism():
    subject = answered()
    flawed = replace(subject.questions[4], request=None, parameters={"epsilon": 0.1234})
    return replace(subject, questions=(flawed,))


def of_found_bounds(*, found=True):
    """Return bounds that were found or not, and the mean of the column between them."""
    ledger = opened(SUBSTITUTION)
    priced = replace(AGE, found_epsilon=2.0 if found else None)
    known = replace(behind(SUBSTITUTION, ledger), dataset=table().with_columns(priced))
    mean = Query(kind=StatisticKind.MEAN, column=AGE, **terms(people=MEMBERS))
    for request in (bounds(epsilon=2.0), asked(mean, "laplace")):
        # Now and then an empty bin would pass.
        with mock.patch.object(secure, "draw", lambda _, value, **__: value * found):
            charge(ledger, request)
    return released(ledger.releases("f"), replace(known, entries=ledger.history("f")))


def of_a_regression(key, *, is_planned=False):
    """Return a released or planned regression that people gave a name of their own."""
    request, data, ledger = models.request(key), models.table(), opened(ADD_REMOVE)
    known = behind(ADD_REMOVE, ledger, data)
    if is_planned:
        item = PlannedQuery.of(request)
        return planned(AnalysisPlan(items=(item,), total=5.0, delta=1e-6), known)
    charge(ledger, request, data)
    return released(ledger.releases("f"), replace(known, entries=ledger.history("f")))


def test_labels_that_were_found_are_in_documents_with_their_price():
    ledger, town = opened(SUBSTITUTION), Column(name="town", kind=ColumnKind.CATEGORY)
    listed = replace(town, labels=("Bern",), found_epsilon=2.0)
    frame = pd.DataFrame({"town": ["Bern"] * 200 + ["Alone"]})
    data = Dataset(name="t", frame=frame.astype("str"), columns=(town,))
    known = replace(behind(SUBSTITUTION, ledger), dataset=data.with_columns(listed))
    request = found_labels(epsilon=2.0)
    charge(ledger, request, data)
    subject = released(ledger.releases("f"), replace(known, entries=ledger.history("f")))
    (found,) = subject.questions
    assert found.thresholds == str(request.plan.law.threshold)
    for page in (notice(subject), report(subject)):
        assert "Labels of town" in page
        assert "Alone" not in page
    assert "Threshold of noisy counts" in report(subject)


def test_labels_that_were_found_in_rounds_are_in_documents_without_counts():
    rows = [(f"p{i}", town) for i in range(500) for town in ("Bern", "Chur")]
    data, ledger = capped([*rows, ("p0", "Alone")]), opened(SUBSTITUTION)
    asked = labels_in_rounds()
    request = replace(asked, query=replace(asked.query, column=data.columns[-1]))
    charge(ledger, request, data)
    known = replace(behind(SUBSTITUTION, ledger), dataset=data, entries=ledger.history("f"))
    subject = released(ledger.releases("f"), known)
    for page in (notice(subject), report(subject)):
        assert "each with the round in which it was found" in page
        assert "none: a round, not a count" in page
        assert "Alone" not in page
    assert "Thresholds of noisy sums, by round" in report(subject)
    assert "without numbers of people" in methods(subject)


def test_bounds_that_were_found_are_in_documents_with_their_price():
    subject = of_found_bounds()
    (found, mean), price = subject.questions, "0 to 100 (found with ε = 2)"
    assert [number.text for number in found.numbers] == ["10 years", "100 years"]
    assert found.bounds == found.people == ""
    assert mean.bounds == f"age: {price}"
    for page in (notice(subject), report(subject)):
        assert "bounds of age" in page.casefold()
        assert f"age: {price}" in page.replace("\u00a0", " ")
    nothing = of_found_bounds(found=False)
    assert [number.value for number in nothing.questions[0].numbers] == ["too few to say"] * 2


SUBJECTS = {
    "bounds that were found": of_found_bounds,
    "bounds that were not found": lambda: of_found_bounds(found=False),
    "released": answered,
    "released, number private": lambda: answered(ADD_REMOVE),
    "in a plan": lambda: answered(together=True),
    "planned": meant,
    "planned, number private": lambda: meant(ADD_REMOVE),
    "empty": lambda: replace(answered(), questions=(), head=None, columns=()),
    "everybody": several,
    "two tables": of_two_tables,
    "complete": lambda: compared(complete=True),
    "left out": lambda: compared(complete=True, dropped=True),
    "used up": nothing_left,
    "without a limit": without_a_limit,
    "below 0": has_negative_counts,
    "flawed": of_a_flawed_mechanism,
    "regression": lambda: of_a_regression("output"),
    "adaptive regression": lambda: of_a_regression("adaptive"),
    "planned regression": lambda: of_a_regression("output", is_planned=True),
}


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("document", [notice, report])
def test_documents_say_nothing_but_what_is_established(document, name):
    page = document(SUBJECTS[name]())
    unknown = [
        sentence
        for sentence in sentences(page)
        if not any(re.fullmatch(claim, sentence) for claim in CLAIMS)
    ]
    assert unknown == []
    for sentence in sentences(page):
        assert len(re.sub(r"\(.*?\)|: .*", "", sentence).split()) <= 25, sentence
    assert {name for name, _ in facts_of(page)} <= FACTS
    for head in re.findall("<thead>.*?</thead>", page, flags=re.DOTALL):
        heads = {re.sub(r"^ε at .*", "ε", name) for name in Words(head).of("th")}
        assert heads - HEADS == set() or "period" in heads


def test_what_establishes_a_claim_exists():
    for claim, where in CLAIMS.items():
        room, _, name = where.partition(".")
        if room.startswith("test_"):
            assert room == "test_counts_in_papers" or room in globals(), claim
        elif room in ROOMS:
            # There are words on what it follows from, before the sentence.
            text = (ROOT / f"dpcore/documents/templates/{ROOMS[room]}").read_text("utf-8")
            found = re.search(rf"#}}\n{{% (macro {name}\(|set {name} =)", text)
            assert found or f"set {name} =" in text, claim


# What can be learned.


@given(epsilon=st.floats(0.01, 20.0), delta=st.one_of(st.just(0.0), st.floats(1e-12, 0.5)))
def test_accuracy(epsilon, delta):
    # The worst mechanism of this ε and δ: it tells all with probability δ, and else
    # answers truthfully with the odds e^ε (Kairouz, Oh and Viswanath 2015).
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    here = np.array([delta, (1 - delta) * p, (1 - delta) * (1 - p), 0.0])
    there = here[::-1]
    for one, other in ((here, there), (there, here)):
        assert np.maximum(one - math.exp(epsilon) * other, 0).sum() <= delta + 1e-6
    # With even odds the best rule takes the likelier table, whatever it sees.
    right = np.maximum(here, there).sum() / 2
    assert right == pytest.approx(float(Guarantee(epsilon=epsilon, delta=delta).best_guess(0.5)))
    told = claims.accuracy(epsilon, delta)
    if told != "practically always":
        (most,) = map(float, re.findall(r"[\d.]+", told))
        assert 100 * right <= most + 1e-9
        assert 100 * right > most - 0.11


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 0.01), (4.0, 1e-5)])
def test_risk(epsilon, delta):
    # The same mechanism. A guess that names the likeliest results is right 1 in 20 times
    # without the record, where the results are those of the other table.
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    here = np.array([delta, (1 - delta) * p, (1 - delta) * (1 - p), 0.0])
    left, right = 1 / 20, 0.0
    for own, other in zip(here, here[::-1], strict=True):
        share = min(left / other, 1.0) if other else 1.0
        left, right = left - share * other, right + share * own
    curve = of_events([ApproximateEvent(parameter=epsilon, delta=delta)])
    assert float(curve.detection(1 / 20)) == pytest.approx(right, abs=1e-12)
    told = risk_text(curve, 1 / 20, ADD_REMOVE).split("at most ")[1]
    most = float(told.split("%")[0]) / 100
    assert right <= most < 1.01 * right


def test_a_limit_on_both_tables_is_none_on_one_of_them():
    # Allowed at ε = 1, and more than 73.2% under one of the two tables.
    here, there = np.array([0.9, 0.1]), np.array([0.729, 0.271])
    assert np.all(np.maximum(here / there, there / here) <= math.e)
    assert here[0] > 0.732
    # What is limited is how often an attacker is right, over both.
    right = np.maximum(here, there).sum() / 2
    assert right <= 0.732
    assert re.fullmatch(r"at most 73\.2 ?% of the time", claims.accuracy(1.0, 0.0))


@given(st.floats(1e-12, 0.5))
def test_delta(delta):
    digits, one_in = re.fullmatch(r"([\d.]+) \(1 in ([\d,]+)\)", delta_text(delta)).groups()
    # Up to the last bits of floats, both are limits.
    assert float(digits) >= delta * (1 - 1e-14)
    assert 1 / int(one_in.replace(",", "")) >= delta * (1 - 1e-14)
    assert float(digits) <= delta * 1.011


def test_noise():
    for request in questions():
        assert request.plan.noise > 0
        assert request.cost.epsilon > 0


def test_budget():
    ledger = opened(SUBSTITUTION)
    ledger.change_budget("f", PrivacyBudget.of(epsilon=0.75), "less")
    first, second, *_ = questions()
    for request, fits in ((first, True), (second, True), (questions()[3], False)):
        with contextlib.nullcontext() if fits else pytest.raises(BudgetExceeded):
            charge(ledger, request)
    subject = released(ledger.releases("f"), behind(SUBSTITUTION, ledger))
    assert subject.used_up
    assert remaining_text(subject.facts.budget, subject.facts.budget.remaining(
        subject.facts.spent)) == "nothing"  # fmt: skip


def test_repeated_questions():
    ledger = opened(SUBSTITUTION)
    request = questions()[0]
    first = charge(ledger, request)
    assert charge(ledger, request) == first
    assert ledger.account("f").spent == first.cost
    charge(ledger, replace(request, draw=2))
    assert ledger.account("f").spent == first.cost + first.cost


# What a figure is.


@pytest.fixture
def seeded(monkeypatch):
    """Draw from a seed: as the secure sampler, and fast."""
    rng = np.random.default_rng(23)

    def draw(mechanism, value, **_):
        return mechanism.simulate(value, rng=rng, size=np.shape(value))

    monkeypatch.setattr("dpcore.analyses.secure.draw", draw)
    return rng


DRAWS = 120
# Three standard errors below 0.95.
OFTEN = 0.95 - 3 * (0.95 * 0.05 / DRAWS) ** 0.5


@pytest.mark.slow
@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("relation", few(1, SUBSTITUTION, ADD_REMOVE))
def test_coverage(relation):
    for request in questions(relation):
        if request.mechanism_key not in {"laplace", "gaussian", "bit"}:
            continue  # The others have tests of their own, which take longer.
        if not isinstance(request.plan, Direct):
            continue
        value = request.value(table())
        held = 0
        for _ in range(DRAWS):
            answer = request.plan.answer(value, cost=request.cost)
            noise = answer.intervals.noise
            held += all(
                noise[name][0] - 1e-9 <= exact <= noise[name][1] + 1e-9
                for name, exact in zip(answer.labels, value, strict=True)
            )
        assert held / DRAWS >= OFTEN, request.title


@pytest.mark.slow
@pytest.mark.usefixtures("seeded")
def test_coverage_of_the_population(seeded):
    request = asked(Query(kind=StatisticKind.MEAN, column=AGE, **terms(MEMBERS)), "laplace")
    held = 0
    for _ in range(DRAWS):
        ages = 100 * seeded.beta(2, 3, MEMBERS)
        value = request.value(dataset((AGE,), age=list(ages)))
        answer = request.plan.answer(value, cost=request.cost)
        ((low, high),) = answer.intervals.total.values()
        held += low <= 40.0 <= high  # The mean of this population.
    assert held / DRAWS >= OFTEN


@given(value=st.floats(-1e6, 1e6), below=st.floats(1e-3, 1e5), above=st.floats(1e-3, 1e5))
def test_written_ranges_enclose_what_was_computed(value, below, above):
    low, high = value - below, value + above
    lower, upper = ends_text((low, high), value)
    if "illion" not in lower + upper:
        assert float(lower.replace(",", "").replace("−", "-")) <= low
        assert float(upper.replace(",", "").replace("−", "-")) >= high


def ages(*values):
    """Return a table of a few ages, the others of whom are 50."""
    return dataset((AGE,), age=[*values, *[50.0] * (MEMBERS - len(values))])


@pytest.mark.parametrize(
    "kind", [StatisticKind.MEAN, StatisticKind.SUM, StatisticKind.VARIANCE, StatisticKind.MEDIAN]
)
def test_clamping_and_imputation(kind):
    query = Query(kind=kind, column=AGE, **terms(MEMBERS))
    wild = query.value(ages(-20.0, 140.0, None, 30.0))
    assert AGE.replacement == 50.0
    tame = query.value(ages(0.0, 100.0, 50.0, 30.0))
    np.testing.assert_array_equal(wild, tame)
    assert "age: 0 to 100" in " ".join(sentences(notice(answered())))


@pytest.mark.parametrize("key", ["output", "posterior", "adaptive"])
def test_penalized(key):
    subject = of_a_regression(key)
    (question,) = subject.questions
    named = replace(subject, questions=(replace(question, called="Why?"),))
    for page in (notice(named), report(named)):
        assert "not those of an ordinary least-squares fit" in page
        assert "a, penalized coefficient<" in page
        assert "a, penalized coefficient on the model scale<" in page
        # Once the first look sets the penalty, public numbers do not say how strong it is.
        assert ("for 200 people shrinks coefficients: by about" in page) is (key != "adaptive")
    sheet = notice(named).split("All published figures")[0]
    assert "a, penalized coefficient<" in sheet
    assert "on the model scale" not in sheet
    assert question.name.startswith("penalized linear regression")
    assert "not those of an ordinary least-squares fit" in question.statement
    assert "are not those of an ordinary least-squares fit" in methods(subject)


def test_ranges_hold_the_penalized_fit_and_need_not_hold_that_without_it():
    request = models.request("output", epsilon=1e4, delta=1e-3)
    fit = request.value(models.table())
    widths = request.plan.half_widths
    plain = plain_fit(fit).theta
    assert np.any(np.abs(fit.theta - plain) > 2 * widths)
    assert np.linalg.norm(fit.theta) < np.linalg.norm(plain)
    # Rows are not centered: one may grow.
    assert np.any(np.abs(fit.theta) > np.abs(plain))


def test_left_out():
    short = replace(AGE, missing=MissingPolicy.DROP, replacement=None)
    query = Query(kind=StatisticKind.SUM, column=short, **terms(5, relation=ADD_REMOVE))
    part = dataset((short,), age=[30.0, None, 40.0, None])
    assert query.value(part) == query.value(dataset((short,), age=[30.0, 40.0]))


def test_minimum():
    known = terms(5, relation=ADD_REMOVE)
    few, many = ([30.0, 40.0], [30.0, 40.0] * 10)
    mean = Query(kind=StatisticKind.MEAN, column=AGE, **known)
    assert mean.value(dataset((AGE,), age=many)) == pytest.approx(35.0)
    # Drawn to the middle of the bounds, which is 50.
    drawn = mean.value(dataset((AGE,), age=few))
    assert drawn == pytest.approx(50.0 + (-20.0 - 10.0) / 5)
    variance = Query(kind=StatisticKind.VARIANCE, column=AGE, **known)
    plain = np.var(many, ddof=1)
    assert variance.value(dataset((AGE,), age=many)) == pytest.approx(plain)
    assert variance.value(dataset((AGE,), age=few)) == pytest.approx(50.0 / 4)
    said = " ".join(sentences(notice(answered(ADD_REMOVE))))
    assert "A public minimum of 300 people is assumed for: mean of age" in said


@pytest.mark.usefixtures("seeded")
def test_totals_are_sums_of_counts_before_these_are_rounded():
    both = labels("region", "north", "south"), labels("place", "north", "south")
    request = crossed(columns=both, people=MEMBERS)
    exact = np.zeros(len(request.query.statistic.labels))
    answer = request.plan.answer(exact, cost=request.cost)
    cells = np.reshape(answer.values, request.plan.shape)
    sums = [*cells.sum(axis=1), *cells.sum(axis=0)]
    assert [*answer.derived.values()] == pytest.approx(sums)


# What it costs.


@given(st.lists(st.floats(1e-3, 10.0), min_size=1, max_size=20))
def test_prices(epsilons):
    told = [float(significant(one, up=True)) for one in epsilons]
    assert math.fsum(told) >= math.fsum(epsilons) * (1 - 1e-12)


@pytest.mark.parametrize("together", [False, True])
def test_charges(together):
    subject = answered(together=together)
    said = " ".join(sentences(report(subject)))
    assert f"Charged in total: {cost_text(subject.facts.spent)}." in said
    alone = sum((float(one.cost.epsilon) for one in subject.questions), 0.0)
    charged = float(subject.facts.spent.epsilon)
    assert charged <= alone * (1 + 1e-9)
    assert together or charged == pytest.approx(alone)


# The methods paragraph.


def test_laplace_scale():
    for request in questions():
        if request.mechanism_key == "laplace" and not request.query.kind.of_matrix:
            scale = request.sensitivity.l1 / request.epsilon
            assert request.plan.noise == pytest.approx(scale, rel=1e-6)


def test_citations():
    subject = answered()
    for key in EVERY:
        one = replace(subject.questions[0], key=key)
        told = methods(replace(subject, questions=(one,)))
        assert ("exact privacy profile" in told) is (key == "gaussian")
        assert ("sensitivity divided by ε" in told) is (key == "laplace")
        assert ("exponential mechanism (McSherry" in told) is (key == EXPONENTIAL.key)
        assert ("selection (Desfontaines" in told) is (key == LABEL_SELECTION.key)


def test_a_sample_has_ranges_for_the_population_and_a_census_has_none():
    for subject, sampled in ((answered(), True), (several(), False)):
        page = notice(subject)
        heads = re.findall("<thead>.*?</thead>", page, flags=re.DOTALL)
        assert all((POPULATION in head) is sampled for head in heads)
        assert ("assume that the table is a simple random sample" in page) is sampled
