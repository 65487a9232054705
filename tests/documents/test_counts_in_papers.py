"""How many numbers papers say there are, in which order, and what counts say."""

import re
from dataclasses import replace

import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.data.columns import MissingPolicy
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import released
from dpcore.documents.notice import SheetRow, counted, fairly, ordered
from dpcore.ledger.transaction import release
from dpcore.releases.digits import ends_text
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import CELLS, NOW, answered, behind, opened, table
from tests.documents.test_reading import plain
from tests.releases.questions import AGE, apart, asked, crossed, labels, ranks, terms
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


def written(name, subject):
    return BY_NAME[name].text(subject)


def listed(text):
    """Return the rows of the sheets after the first."""
    _, further = text.split("All published figures")
    return further.count("<tr>") - further.count("<caption")


@pytest.mark.parametrize("subject", [answered, several])
def test_the_notice_counts_as_many_numbers_as_it_lists(subject):
    known, text = subject(), written("Public notice", subject())
    count = sum(len(question.numbers) for question in known.questions)
    assert counted(known) == count == listed(text)
    assert re.search(rf"\b{count} figures", plain(text))
    left = re.search(r"(\d+) more are on", plain(text))
    first, _ = plain(text).split("All published figures")
    elsewhere = re.findall(r"(\d+) figures: next sheet", first)
    # Of each question all numbers are told, or none and how many they are.
    missing = int(left[1])
    assert 0 < count - missing <= 12 - len(elsewhere)
    assert 0 < sum(map(int, elsewhere)) <= missing


def test_the_newest_table_comes_first_and_whole_questions_before_older_ones():
    mean = asked(Query(kind=StatisticKind.MEAN, column=AGE, **terms(817)), "laplace")
    requests = [replace(mean, epsilon=0.1 + place / 100) for place in range(16)]
    tables = ["Q3"] * 8 + ["Q4"] * 8
    subject = of(*requests, tables=tables)
    assert [one.table for one in ordered(subject)] == ["Q4"] * 8 + ["Q3"] * 8
    first, _ = plain(written("Public notice", subject)).split("All published figures")
    assert re.findall(r"in “(Q\d)”\s+\d", first) == ["Q4"] * 8
    # Where there is room for all, older ones stand there, too.
    assert fairly([0, 0, 1, 2], first=2) == tuple(map(SheetRow, range(4)))


def test_of_a_question_that_has_no_room_one_row_says_where_its_numbers_are():
    assert fairly([0] * 20, first=1) == (SheetRow(0, itself=False),)
    asked = [0] * 10 + [1] + [2] * 3
    elsewhere = SheetRow(0, itself=False)
    assert fairly(asked) == (elsewhere, *map(SheetRow, range(10, 14)))
    assert fairly([place // 2 for place in range(40)]) == tuple(
        SheetRow(2 * place, itself=False) for place in range(12)
    )


def test_a_paper_says_of_counts_what_they_cannot_say():
    text = plain(written("Public notice", several()))
    assert "Totals can differ from the sum of the parts" in text
    assert "Group sizes do not count missing values of age" in text
    # Nobody is both in the north and in the south.
    nobody = r"north × south\s+[-−]?\d+ \S+\s+0 to \d+: may be 0"
    assert re.search(nobody, text)
    assert not re.search(r"north × north\s+[-−]?\d+ \S+\s+\d+ \S+ \d+: ", text)
    assert "× other" in text
    without = plain(written("Public notice", answered()))
    for words in ("sum of the parts", "do not count missing"):
        assert words not in without


def test_a_count_cut_off_at_nobody_has_the_digits_of_the_others():
    for value in (-11.8, -31.0, 3.0, 250.0):
        low, high = max(0.0, value - 31.3), value + 31.3
        assert all("." not in end for end in ends_text((low, max(high, 0.0)), value))


def test_everybody_is_told_of_no_sample_and_a_median_of_no_interval():
    text = plain(written("Full report", several()))
    assert "with sampling" not in text
    assert "None in the unit of the column" in text
    assert "error in ranks" in text
    assert "with sampling" in plain(written("Full report", answered()))
    assert "7: 1 opening, 3 charges, 3 answers" in text


def test_infinity_is_explained_only_where_it_stands():
    for subject in (several(), answered()):
        text = plain(written("Full report", subject))
        assert ("∞:" in text) is (text.replace("∞:", "").count("∞") > 0)
