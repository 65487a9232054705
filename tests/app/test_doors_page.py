"""A Parquet file and a packed CSV are uploaded, declared and put in use as a CSV is."""

import gzip
import io

import pandas as pd
import pytest

from tests.app.asking import button
from tests.app.test_pages import CSV
from tests.app.test_uploads import columns, labels, said, upload


def as_parquet(text):
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "packed", "is_text"),
    [
        ("people.parquet", as_parquet, False),
        ("people.csv.gz", lambda text: gzip.compress(text.encode()), True),
        ("people.parquet.gz", lambda text: gzip.compress(as_parquet(text)), False),
    ],
)
def test_table_is_that_of_its_csv(open_page, name, packed, is_text):
    told = columns(upload(open_page("data"), CSV))
    app = upload(open_page("data"), packed(CSV), name)
    assert columns(app) == told
    assert ("Read the file again" in labels(app)) is is_text
    button(app, "Use this data").click().run()
    assert not app.exception
    assert "not in use yet" not in said(app)


def test_what_is_wrong_is_said_and_the_file_can_be_forgotten(open_page):
    app = upload(open_page("data"), as_parquet(CSV)[:-5], "people.parquet")
    assert "damaged" in app.error[0].value
    assert "Read the file again" not in labels(app)
    button(app, "Forget this file").click().run()
    assert not app.error
