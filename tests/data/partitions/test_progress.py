"""Work over parts says how far it is, has the same result, and ends where it stops."""

import threading

import pytest

from dpcore.data.partitions.progress import Found, stepwise
from dpcore.errors import ChangedError, DataError
from dpcore.statistics.kinds import StatisticKind
from tests.data.partitions.test_partitions import KEY, opened, query, rows, write

PARTS = 9
SOON = 20.0


@pytest.fixture
def table(tmp_path):
    write(tmp_path, rows())
    return opened(tmp_path)


def test_what_is_found_is_what_is_computed_without_looking_on(table):
    mean = query(StatisticKind.MEAN)
    *_, last = stepwise(table, mean.value)
    assert isinstance(last, Found)
    assert last.value == mean.value(table)


def len_of(part):
    return part.rows


def test_whoever_asks_no_longer_has_stopped_it(table):
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    read = []

    def compute(watched):
        try:
            for one in watched.each(len_of, ["age"]):
                read.append(one)
                begun.set()
                go_on.wait(SOON)
        finally:
            ended.set()

    work = stepwise(table, compute)
    next(work)
    assert begun.wait(SOON)
    work.close()
    go_on.set()
    assert ended.wait(SOON)
    assert len(read) < PARTS


def test_what_goes_wrong_is_raised_where_it_is_waited_for(table):
    def fail(_):
        raise DataError("no")

    with pytest.raises(DataError, match="no"):
        list(stepwise(table, fail))
    (path, _), *_ = table.stamps
    path.unlink()
    with pytest.raises(ChangedError):
        list(stepwise(table, query(StatisticKind.MEAN).value))


def test_fingerprint_tells_how_much_is_read_and_is_the_same(table):
    *before, last = table.fingerprinting(KEY)
    assert last.fingerprint == table.fingerprint(KEY)
    assert last.read == last.total == sum(s.size for _, s in table.stamps)
    read = [each.read for each in before]
    assert read == sorted(read)
    assert not any(each.fingerprint for each in before)


def test_a_declared_table_keeps_being_watched(table):
    column = table.columns[0]

    def compute(watched):
        return [*watched.with_columns(column).each(len_of, ["age"])]

    *_, last = stepwise(table, compute)
    assert isinstance(last, Found)
    assert last.value == [*table.each(len_of, ["age"])]
