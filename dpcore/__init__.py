"""Differential privacy for one table: statistics, mechanisms, releases, exposure.

The core knows nothing of Streamlit, of files on a server, or of sessions.
"""

__version__ = "0.1.0"
