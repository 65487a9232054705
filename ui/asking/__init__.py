"""The controls that ask a question."""
