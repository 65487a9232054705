"""An answer in one line."""

from tests.releases.sample_releases import make_release
from ui.results import answer_text


def test_the_rest_of_a_line_names_others_where_they_are_among_it():
    of_labels = {"values": (1.0, 2.0, 3.0)}
    listed = make_release(labels=("north", "south", "other"), **of_labels)
    assert answer_text(listed, most=1).endswith(" and 2 more, with “other”")
    assert answer_text(make_release(labels=("a", "b", "c"), **of_labels), most=1).endswith("2 more")
