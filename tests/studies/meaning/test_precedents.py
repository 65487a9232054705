"""Every real use is told with its unit, period, model and source."""

import csv
import math
from urllib.parse import urlsplit

from dpcore.figures.precedents import precedents_picture
from dpcore.studies.meaning.precedents import Anew, Model, Precedent, Protects, _written, precedents
from tests.conftest import ROOT, assert_says

SHARED = ROOT / "dpcore" / "studies" / "meaning" / "precedents.csv"
ALL = precedents()
BY_NAME = {one.name: one for one in ALL}


def test_there_are_all_of_them():
    assert len(ALL) == len(BY_NAME) == 41
    assert sum(one.epsilon is not None or one.rho is not None for one in ALL) == 35


def test_each_has_unit_period_model_and_source_beside_its_loss():
    for one in ALL:
        assert one.record
        assert one.model in Model
        assert urlsplit(one.source).scheme == "https"
        assert " " not in one.source
        # What is not known is said, and not left out.
        assert (one.protects is Protects.UNKNOWN) == ("not recorded" in one.unit)
        assert (one.anew is Anew.UNKNOWN) == one.period.startswith("period not recorded")
        assert one.unit
        assert one.period
        assert_says(one.guarantee, one.loss, one.unit, one.period)
        for number in (one.epsilon, one.rho):
            assert number is None or (math.isfinite(number) and number > 0)
        assert one.epsilon is None or _written(one.delta) in one.loss


def test_an_account_of_one_table_compares_with_few():
    those = [one for one in ALL if one.compares]
    assert "Broadband Coverage" in {one.name for one in those}
    assert "Community Mobility Place Visits" not in {one.name for one in those}
    assert {one.model for one in those} == {Model.CENTRAL}
    assert {one.protects for one in those} == {Protects.PERSON}


def test_the_file_has_no_other_columns():
    with SHARED.open(encoding="utf-8", newline="") as file:
        assert set(csv.DictReader(file).fieldnames) == set(Precedent.__dataclass_fields__)


def test_the_figure_has_a_promise_beside_every_mark():
    picture = precedents_picture(ALL, own=(3.0, "ε = 3 for one person"))
    kinds = [trace for trace in picture.figure.data if trace.mode == "markers"]
    drawn = [x for trace in kinds for x in trace.x]
    numbers = [one for one in ALL if one.epsilon is not None]
    assert len(drawn) == len(numbers) + 1  # and the reader's own
    texts = " ".join(note.text for note in picture.figure.layout.annotations)
    texts = texts.replace("<br>", " ")
    for one in numbers:
        assert one.unit in texts
        assert one.period in texts
    marks = {trace.name: trace.marker.symbol for trace in kinds}
    assert len(set(marks.values())) == len(marks) == 4
    # What has a rho alone is told in words, not put on the axis of epsilon.
    assert len(picture.table) == len(ALL)
