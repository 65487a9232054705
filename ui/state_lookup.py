"""Looking one setting up in the state of a tab, without a copy of all of it.

Streamlit copies the whole state for each control that it draws, to see whether the
value under its key is ``None``. On a page of thirty controls that is a third of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state import SafeSessionState, SessionState


class StateLookup(Mapping[str, Any]):
    """What ``SessionState.filtered_state`` would hold, looked up key by key."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - whatever a control holds
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.filtered_state)

    def __len__(self) -> int:
        return len(self._state.filtered_state)


def _looked_up(state: SafeSessionState) -> StateLookup:
    return StateLookup(state._state)  # noqa: SLF001 - there is no public way


def install() -> None:
    """Let controls look their value up, for as long as the process runs."""
    SafeSessionState.filtered_state = property(_looked_up)  # type: ignore[assignment]
