"""Pictures of a small table: the move that is drawn is the move that is told."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.figures.neighbors import NEWCOMER, Scene, people_picture, reach_picture
from dpcore.figures.tradeoffs import leak_picture, price_picture
from dpcore.studies.comparing.private_size import PrivateSize
from dpcore.studies.teaching.explorable import EXPLORABLE
from dpcore.studies.teaching.neighbors import worst_neighbor
from dpcore.studies.teaching.small_tables import RecordChange, TableSetting
from tests.figures.complete import assert_complete

BOUNDS = Interval(lower=0.0, upper=100.0)
ROWS = np.array([[10.0, 30, 0], [20, 10, 0], [60, 90, 1], [100, 40, 1]])


def scene(name="mean", change=RecordChange.SUBSTITUTION, rows=ROWS):
    statistic, setting = EXPLORABLE[name], TableSetting(bounds=BOUNDS, groups=2)
    return Scene(
        rows=rows,
        names=("Ana", "Ben", "Cem", "Dee")[: len(rows)],
        statistic=statistic,
        setting=setting,
        change=change,
        neighbor=worst_neighbor(statistic, rows, setting, change),
        selected=1,
    )


@pytest.mark.parametrize("name", EXPLORABLE)
@pytest.mark.parametrize("change", RecordChange)
def test_every_picture_is_described(name, change):
    what = scene(name, change)
    assert_complete(people_picture(what), reach_picture(what, 2.0), reach_picture(what, np.inf))


def test_arrow_leads_from_the_record_to_its_replacement():
    picture = people_picture(scene())
    assert picture.title == "The mean moves from 47.5 to 22.5 with Dee going from 100 to 0"
    (arrow,) = picture.figure.layout.annotations
    assert (arrow.ax, arrow.ay, arrow.x, arrow.y) == (100, 3, 0, 3)
    assert picture.figure.data[0].customdata.tolist() == [0, 1, 2, 3]
    assert {shape.x0 for shape in picture.figure.layout.shapes} == {47.5, 22.5}


def test_plane_shows_both_values():
    picture = people_picture(scene("covariance"))
    assert picture.figure.data[0].y.tolist() == ROWS[:, 1].tolist()
    (arrow,) = picture.figure.layout.annotations
    assert arrow.axref == "x"
    assert "second value" in picture.table


def test_newcomer_has_a_row_of_its_own_and_no_arrow():
    what = scene(change=RecordChange.ADDITION)
    picture = people_picture(what)
    assert picture.figure.layout.yaxis.ticktext[-1] == NEWCOMER
    assert not picture.figure.layout.annotations
    assert "a newcomer at 100" in picture.title
    assert reach_picture(what, 20.0).figure.data[0].y == (NEWCOMER,)


def test_person_who_leaves_is_crossed_out():
    picture = people_picture(scene(change=RecordChange.REMOVAL))
    assert picture.figure.data[0].marker.symbol == ("circle",) * 3 + ("x",)
    assert "Dee, at 100, leaving" in picture.title


def test_groups_are_told_by_letter_and_symbol():
    picture = people_picture(scene("pooled-variance"))
    symbols = picture.figure.data[0].marker.symbol
    assert symbols[0] == symbols[1] != symbols[2] == symbols[3]
    assert picture.table["group"].tolist() == ["A", "A", "B", "B"]


def test_reach_names_the_share_of_the_worst_case():
    picture = reach_picture(scene(), 25.0)
    assert picture.title == ("Dee can do most here: 25, 100% of the worst case over all tables")
    assert picture.figure.layout.shapes[0].x0 == 25.0


def test_equals_are_counted():
    assert reach_picture(scene("count"), 1.0).title.startswith("4 people can do most here: 1,")


def test_change_without_limit_is_drawn_and_named():
    what = scene("slope", rows=np.array([[20.0, 0, 0], [20, 50, 0], [20, 100, 0], [90, 100, 0]]))
    picture = reach_picture(what, np.inf)
    assert picture.figure.data[0].text[3] == "∞"
    assert np.isfinite(picture.figure.data[0].x).all()
    assert "nothing limits one person" in picture.title
    assert "Nothing limits how far Dee" in people_picture(what).title


def test_table_without_a_value_says_so():
    what = scene("slope", rows=np.array([[20.0, 0, 0], [20, 50, 0]]))
    assert people_picture(what).title == "This table has no slope of the fitted line"
    assert reach_picture(what, np.inf).title


def test_nobody_moves_what_cannot_move():
    what = scene("median", RecordChange.REMOVAL, rows=np.full((4, 3), [50.0, 50, 0]))
    assert people_picture(what).title == "The median is 50, and no one person can move it"


def test_leak_grows_beyond_the_bounds_and_the_clamped_line_ends_there():
    size = PrivateSize(people=5, epsilon=1.0, bounds=BOUNDS)
    picture = leak_picture(size, widest=3.0)
    line, clamped, _ = picture.figure.data
    assert min(line.y) < -3
    assert (min(clamped.x), max(clamped.x)) == (0, 100)
    assert np.abs(clamped.y).max() <= size.clamped_level
    assert "1.03" in picture.alt


def test_price_is_that_of_the_chosen_number_of_people():
    sizes = [PrivateSize(people=n, epsilon=1.0, bounds=BOUNDS) for n in (200, 50)]
    simulated = np.array([[1.0, 0.01], [1.25 * sizes[-1].public_error(0.3), 0.02]])
    picture = price_picture(sizes, simulated, sizes[-1], place=0.3, epsilons=(0.05, 3.0))
    assert picture.title == (
        "Hiding the number among 50 people costs 25% more error than with a public number"
    )
    assert picture.table["people"].tolist() == [50, 200]
