"""The tutorials are walked in the words of the screen, where their pictures are taken."""

from __future__ import annotations

import pytest

from tests.browser import pictures
from tests.browser.server import Server
from tests.browser.visitor import visit

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def test_the_tutorials_are_walked_to_their_end(context, tmp_path):
    reached = []
    with Server(tmp_path, "asgi.py", options=pictures.OPTIONS) as server:
        pictures.walk(visit(context, server.url), reached.append)
    assert tuple(reached) == pictures.PICTURES
