"""What every picture has: takeaway, words, numbers, and few points."""

import numpy as np

MOST_POINTS = 2000


def assert_complete(*pictures):
    for picture in pictures:
        assert not picture.title[0].islower()
        assert picture.title in picture.alt
        assert any(character.isdigit() for character in picture.alt)
        assert "nan" not in picture.title + picture.alt
        assert len(picture.table)
        for trace in picture.figure.data:
            for values in (trace.x, trace.to_plotly_json().get("z", ())):
                assert np.size(values) <= MOST_POINTS
