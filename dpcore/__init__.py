"""Differential privacy for one table: statistics, mechanisms, releases, losses.

The core knows nothing of Streamlit, of files on a server, or of sessions. The names in
``__all__`` are its public API (``dpcore.notebook``); they are imported when they are used.
"""

from typing import TYPE_CHECKING, Any

from dpcore.version import VERSION

if TYPE_CHECKING:
    from dpcore.notebook import margin_of_error, open_table, plan, synthetic_table, tradeoffs

__version__ = VERSION
__all__ = ["margin_of_error", "open_table", "plan", "synthetic_table", "tradeoffs"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of them
    if name not in __all__:
        raise AttributeError(f"dpcore has no public name {name}: it has {', '.join(__all__)}.")
    from dpcore import notebook  # noqa: PLC0415 - imports all of the core

    return getattr(notebook, name)
