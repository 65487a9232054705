"""Mechanisms, and what a change can reveal through them."""
