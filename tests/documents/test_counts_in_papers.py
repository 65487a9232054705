"""How many numbers papers say there are, in which order, and what counts say."""

import re
from dataclasses import replace

import pytest

from dpcore.data.columns import MissingPolicy
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import released
from dpcore.documents.language import Language
from dpcore.documents.notice import Shown, counted, fairly, ordered
from dpcore.releases.digits import ends_text
from dpcore.releases.record import Mode
from dpcore.releases.transaction import release
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query
from tests.documents.subjects import CELLS, NOW, answered, behind, opened, table
from tests.documents.test_reading import plain
from tests.releases.questions import (
    AGE,
    SUBSTITUTION,
    apart,
    asked,
    crossed,
    labels,
    ranks,
    terms,
)
from tests.statistics.columns import dataset

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


def german(name, subject):
    return BY_NAME[name].written(Language.GERMAN)(subject)


def english(name, subject):
    return BY_NAME[name].text(subject)


def listed(text):
    """Return the rows of the sheets after the first."""
    _, further = re.split("All published figures|Alle veröffentlichten Zahlen", text)
    return further.count("<tr>") - further.count("<caption")


@pytest.mark.parametrize("written", [english, german])
@pytest.mark.parametrize("subject", [answered, several])
def test_the_notice_counts_as_many_numbers_as_it_lists(written, subject):
    known, text = subject(), written("Public notice", subject())
    count = sum(len(question.numbers) for question in known.questions)
    assert counted(known) == count == listed(text)
    assert re.search(rf"\b{count} (figures|Zahlen)", plain(text))
    left = re.search(r"(\d+) more are on|(\d+) weitere fehlen", plain(text))
    first = re.split("All published figures|Alle veröffentlichten Zahlen", plain(text))[
        0
    ]
    elsewhere = re.findall(
        r"(\d+) (?:figures: next sheet|Zahlen: nächstes Blatt)", first
    )
    # Of each question all numbers are told, or none and how many they are.
    missing = int(left[1] or left[2])
    assert 0 < count - missing <= 12 - len(elsewhere)
    assert 0 < sum(map(int, elsewhere)) <= missing


def test_the_newest_table_comes_first_and_whole_questions_before_older_ones():
    mean = asked(Query(kind=StatisticKind.MEAN, column=AGE, **terms(817)), "laplace")
    requests = [replace(mean, epsilon=0.1 + place / 100) for place in range(16)]
    tables = ["Q3"] * 8 + ["Q4"] * 8
    subject = of(*requests, tables=tables)
    assert [one.table for one in ordered(subject)] == ["Q4"] * 8 + ["Q3"] * 8
    for written in (english, german):
        first = re.split(
            "All published figures|Alle veröffentlichten Zahlen",
            plain(written("Public notice", subject)),
        )[0]
        rows = re.findall(r"in [“„](Q\d)[”“]\s+\d", first)
        assert rows == ["Q4"] * 8
    # Where there is room for all, older ones stand there, too.
    assert fairly([0, 0, 1, 2], first=2) == tuple(map(Shown, range(4)))


def test_of_a_question_that_has_no_room_one_row_says_where_its_numbers_are():
    assert fairly([0] * 20, first=1) == (Shown(0, itself=False),)
    asked = [0] * 10 + [1] + [2] * 3
    elsewhere = Shown(0, itself=False)
    assert fairly(asked) == (elsewhere, *map(Shown, range(10, 14)))
    assert fairly([place // 2 for place in range(40)]) == tuple(
        Shown(2 * place, itself=False) for place in range(12)
    )


@pytest.mark.parametrize("written", [english, german])
def test_a_paper_says_of_counts_what_they_cannot_say(written):
    text = plain(written("Public notice", several()))
    one, other = (written is english), (written is german)
    assert ("Totals can differ from the sum of the parts" in text) is one
    assert ("Summen können von dem abweichen, was ihre Teile" in text) is other
    assert ("Group sizes do not count missing values of age" in text) is one
    assert ("gezählt ist in den Gruppen nur, wer einen Wert von age hat" in text) is (
        other
    )
    # Nobody is both in the north and in the south.
    nobody = r"north × south\s+-?\d+ \S+\s+0 (to|bis) \d+: (may be|kann) 0"
    assert re.search(nobody, text)
    assert not re.search(r"north × north\s+-?\d+ \S+\s+\d+ \S+ \d+: ", text)
    assert ("× other" in text) is one
    assert ("× alle übrigen" in text) is other
    without = plain(written("Public notice", answered()))
    for words in ("sum of the parts", "was ihre Teile", "do not count missing"):
        assert words not in without


def test_a_count_cut_off_at_nobody_has_the_digits_of_the_others():
    for value in (-11.8, -31.0, 3.0, 250.0):
        low, high = max(0.0, value - 31.3), value + 31.3
        assert all("." not in end for end in ends_text((low, max(high, 0.0)), value))


def test_everybody_is_told_of_no_sample_and_a_median_of_no_interval():
    for written, sampled, none, head in (
        (english, "with sampling", "None in the unit of the column", "error in ranks"),
        (german, "mit Stichprobe", "Keines in der Einheit der Spalte", "wie weit dan"),
    ):
        text = plain(written("Full report", several()))
        assert sampled not in text
        assert none in text
        assert head in text
        assert sampled in plain(written("Full report", answered()))


def test_the_german_report_charges_and_does_not_compute():
    text = plain(german("Full report", several()))
    assert "Angerechnet für alles zusammen" in text
    assert "Eine neue Antwort kostet noch einmal" in text
    assert not re.search("[Bb]erechnet für alles|berechnet wie die erste", text)
    together = plain(german("Full report", answered(together=True)))
    assert "angerechnet als eine von 10 Antworten eines Plans" in together
    assert "people in" not in text
    assert "Personen in „south“" in text
    assert not re.search(r"\d{4}-\d\d-\d\dT", text)
    # Four entries beside the answers would be a riddle: all of them are named.
    assert re.search(r"7: 1 Eröffnung, 3 Abbuchungen und 3 Antworten", text)


def test_infinity_is_explained_only_where_it_stands():
    for written in (english, german):
        for subject in (several(), answered()):
            text = plain(written("Full report", subject))
            assert ("∞:" in text) is (text.replace("∞:", "").count("∞") > 0)
