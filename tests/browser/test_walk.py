"""A short walk at random from a fixed seed; ``make walk`` takes a long one."""

from __future__ import annotations

import pytest

from tests.browser.walk import FaultError, Walk, walk

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

SEED, STEPS = 1, 120


def test_nothing_breaks_on_a_walk_at_random(context, server):
    walk(context.new_page(), server, seed=SEED, steps=STEPS)


def test_a_walk_tells_how_it_came_to_a_fault(context, server):
    page = context.new_page()
    page.add_init_script("addEventListener('click', () => { throw Error('broken'); })")
    with pytest.raises(FaultError, match=r"(?s)seed 2; the last steps:\n0: /.*broken"):
        walk(page, server, seed=2, steps=50)
    assert Walk(page, server, 2).steps.maxlen == 30
