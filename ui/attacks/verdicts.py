"""What an attack came to: a sentence on each release, and what is to be learned."""

from __future__ import annotations

import streamlit as st


def show_verdict(careless: str, private: str) -> None:
    """Say in a sentence each what the careless and the private release told."""
    left, right = st.columns(2)
    left.warning(f"**Careless release.** {careless}", icon=":material/lock_open:")
    right.success(f"**The studio's release.** {private}", icon=":material/lock:")


def show_lesson(teaches: str, stops: str) -> None:
    """Say what the attack teaches, and what stops it."""
    st.markdown(f"**What this teaches.** {teaches}\n\n**What stops it.** {stops}")
