"""The figures of Wang 2019: simulated, run, and held against the text."""
