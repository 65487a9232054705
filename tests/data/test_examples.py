import pytest

from dpcore.data.columns import ColumnKind
from dpcore.data.examples import EXAMPLES

LOADED = {example.key: example.load() for example in EXAMPLES}


def test_three_examples_have_the_published_number_of_people():
    people = {key: dataset.people for key, dataset in LOADED.items()}
    assert people == {"rand-hie": 20_190, "fair": 6_366, "anes96": 944}


@pytest.mark.parametrize("key", LOADED)
def test_example_is_ready_for_use(key):
    dataset = LOADED[key]
    assert dataset.columns[0].kind is ColumnKind.NUMBER
    for column in dataset.columns:
        assert column.is_declared
        assert column.description.endswith(".")
        assert dataset.outside(column.name) == 0
        assert not dataset.missing(column.name).any()
        if column.kind is not ColumnKind.NUMBER:
            assert set(dataset.codes(column.name)) == set(range(len(column.labels)))
    assert dataset.frame.index[0] == 2


def test_keys_do_not_change():
    assert [example.key for example in EXAMPLES] == ["rand-hie", "fair", "anes96"]
