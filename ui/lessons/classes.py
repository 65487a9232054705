"""The classes of this server, and the key that signs the seats in them.

A module is loaded once for the process, and no message of a browser can empty it.
Nothing in it comes from a table.
"""

from __future__ import annotations

import secrets
from typing import Final

from dpcore.lessons.classroom import Rooms

ROOMS: Final = Rooms()
KEY: Final = secrets.token_bytes(32)
