"""The search for numbers finds them as they may be written, and not by chance."""

from __future__ import annotations

import base64
import struct

import pytest

from tests.written import alone, spellings, within

MEAN, SUM, LOSS = 25983.057001678182, 26320836.7427, 3.4354910670561574e-05
SHIFT = -0.4619241057085608


def found(number, text):
    raw = text if isinstance(text, bytes) else text.encode()
    return any(within(needle, raw) for needle in spellings(number))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (MEAN, '{"x":25983.057001678182,"y":1}'),
        (MEAN, "the mean is 25,983.06 euros"),
        (MEAN, "cut off 25983.0, or rounded 25983.1"),
        (MEAN, "as a float of 32 bits 25983.057."),
        (SUM, "26320836.7427"),
        (SUM, "26,320,836.74"),
        (SUM, "in all 26,320,837 euros"),
        (LOSS, "[3.4354910670561574e-05]"),
        (SHIFT, "(-0.46192, -0.461924)"),
        (MEAN, b"..." + struct.pack("<d", MEAN)),
        (MEAN, b"x" + base64.b64encode(b"a" + struct.pack("<d", MEAN) + b"bc")),
    ],
)
def test_a_number_is_found_however_it_is_written(number, text):
    assert found(number, text)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (MEAN, "a release begins alike: 25983.0970016"),
        (MEAN, "125983.057001678182 and 25983.7"),
        (SUM, "26320899.12, 263208, in a name: 1f263208ab, 26320836-77aa"),
        (LOSS, "3.4354910670561574"),
        (105505.39611630156, "a release is shown as 105,505 or 105505"),
    ],
)
def test_what_only_begins_alike_is_not_the_number(number, text):
    assert not found(number, text)


def test_a_rounded_number_within_another_one_is_not_it():
    assert alone("0.148", "a loss of 0.148, at most")
    assert not alone("0.148", "25980.148123 and 0.1481")
