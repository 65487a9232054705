import numpy as np
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


def test_codes_are_given_the_labels_of_the_codebook():
    rand, fair, anes = (LOADED[key] for key in ("rand-hie", "fair", "anes96"))
    # Published shares: 36.2% good, 7.7% fair and 1.5% poor health.
    health = np.bincount(rand.codes("health")) / rand.people
    np.testing.assert_allclose(health, [0.0150, 0.0773, 0.3620, 0.5458], atol=5e-5)
    assert set(rand.numbers("coinsurance")) == {0, 25, 50, 95, 100}
    assert rand.numbers("deductible").mean() == pytest.approx(0.25998, abs=5e-6)
    assert rand.numbers("visits").mean() == pytest.approx(2.860426, abs=5e-7)
    # 32.2% of Fair's respondents report an affair.
    assert fair.numbers("affair").mean() == pytest.approx(0.322495, abs=5e-7)
    assert fair.codes("religious").mean() == pytest.approx(1.42617, abs=5e-6)
    assert anes.codes("vote").mean() == pytest.approx(0.416314, abs=5e-7)
    assert anes.codes("education").mean() == pytest.approx(3.565678, abs=5e-7)


def test_keys_do_not_change():
    assert [example.key for example in EXAMPLES] == ["rand-hie", "fair", "anes96"]
