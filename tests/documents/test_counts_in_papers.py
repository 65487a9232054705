"""How many numbers papers say there are, in which order, and what counts say."""

import re
from dataclasses import replace

import pytest

from dpcore.analyses.base import Mode
from dpcore.data.columns import MissingPolicy
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import released
from dpcore.documents.notice import counted
from dpcore.ledger.transaction import release
from dpcore.releases.digits import ends_text
from tests.conftest import few
from tests.documents.subjects import CELLS, MEMBERS, NOW, answered, behind, opened, questions, table
from tests.documents.test_reading import plain
from tests.releases.questions import AGE, apart, crossed, labels, ranks, synthetic
from tests.statistics.columns import dataset
from tests.terms import SUBSTITUTION

BY_NAME = {document.name: document for document in DOCUMENTS}
REGION, PLACE = (labels(name, "north", "south") for name in ("region", "place"))
SHORT = replace(AGE, missing=MissingPolicy.DROP, replacement=None)

BASE = dataset(
    (*table().columns, PLACE),
    **{name: list(cells) for name, cells in CELLS.items()},
    place=list(CELLS["region"]),
)


def of(*requests, tables=()):
    """Return answers about one table, or each about the table that is named for it."""
    ledger = opened(SUBSTITUTION)
    for request in requests:
        known = BASE.with_columns(*request.asked.columns)
        release(
            request,
            request.value(known),
            ledger=ledger,
            fingerprint="f",
            mode=Mode.RELEASE,
            now=NOW,
        )
    records = ledger.releases("f")
    named = {one.id: name for one, name in zip(records, tables, strict=bool(tables))}
    everybody = replace(behind(SUBSTITUTION, ledger), everybody=True, dataset=BASE)
    return released(records, everybody, tables=named)


def several():
    """Return a gap among those with a value, crossed counts and a median."""
    gap = apart()
    part = replace(gap.query.part, column=SHORT)
    return of(
        replace(gap, query=replace(gap.query, part=part)),
        crossed(columns=(REGION, PLACE), people=817),
        ranks(people=817),
    )


def synthesized():
    """Return a mean, and a synthetic table that was chosen by zCDP."""
    columns = (AGE, (0.0, 50.0, 100.0)), (REGION, None), (PLACE, None)
    mean, *_ = questions()
    return of(mean, synthetic(*columns, people=MEMBERS, epsilon=0.5, delta=1e-6))


def written(name, subject):
    return BY_NAME[name].text(subject)


def listed(text):
    """Return the rows of the sheets after the first."""
    _, further = text.split("All published figures")
    return further.count("<tr>") - further.count("<caption")


@pytest.mark.parametrize("subject", few(2, answered, synthesized, several))
def test_the_notice_counts_as_many_numbers_as_it_lists(subject):
    known, text = subject(), written("Public notice", subject())
    numbers = [number for question in known.questions for number in question.numbers]
    unsaid = sum(number.unsaid for number in numbers)
    count = len(numbers) - unsaid
    assert counted(known) == count == listed(text) - unsaid
    assert re.search(rf"\b{count} figures", plain(text))
    assert (subject is answered) == (unsaid > 0)
    assert f"{unsaid} without a value: next sheet" in plain(text) or not unsaid
    left = re.search(r"(\d+) more are on", plain(text))
    first, _ = plain(text).split("All published figures")
    elsewhere = re.findall(r"(\d+) figures[^:.]*: next sheet", first)
    # Of each question all numbers are told, or none and how many they are.
    missing = int(left[1])
    assert 0 < count - missing <= 12 - len(elsewhere)
    assert 0 < sum(map(int, elsewhere)) <= missing


def test_a_paper_says_of_counts_what_they_cannot_say():
    text = plain(written("Public notice", several()))
    assert "Totals can differ from the sum of their parts" in text
    assert "Group sizes do not count missing values of age" in text
    # Nobody is both in the north and in the south.
    nobody = r"north × south\s+[-−]?\d+ \S+\s+0 to \d+: may be 0"
    assert re.search(nobody, text)
    assert not re.search(r"north × north\s+[-−]?\d+ \S+\s+\d+ \S+ \d+: ", text)
    assert "× other" in text
    without = plain(written("Public notice", answered()))
    for words in ("sum of their parts", "do not count missing"):
        assert words not in without


def test_a_count_cut_off_at_nobody_has_the_digits_of_the_others():
    for value in (-11.8, -31.0, 3.0, 250.0):
        low, high = max(0.0, value - 31.3), value + 31.3
        assert all("." not in end for end in ends_text((low, max(high, 0.0)), value))


def test_each_release_is_described_with_the_rows_that_it_counted():
    """Of several rows of a person nothing is known about a population, whatever is in use."""
    ledger = opened(SUBSTITUTION)
    whole, *_ = questions()
    record = release(
        whole, whole.value(table()), ledger=ledger, fingerprint="f", mode=Mode.RELEASE, now=NOW
    )
    asked = record.request["query"]
    unit = asked["unit"] | {"cap": 5}
    capped = replace(
        record, id="capped", request=record.request | {"query": asked | {"unit": unit}}
    )
    about = released([record, capped], behind(SUBSTITUTION, ledger))
    first, second = (question.numbers[0].total for question in about.questions)
    assert first
    assert not second
    notice = plain(BY_NAME["Public notice"].text(about))
    assert "in some figures at most 5 of each count" in notice
    methods = BY_NAME["Methods paragraph"].text(about)
    assert "at most 5 count in some answers" in methods
    alone = plain(BY_NAME["Public notice"].text(released([record], behind(SUBSTITUTION, ledger))))
    assert "in some figures" not in alone
