"""A question on the Release page: its price before, its answer after."""
