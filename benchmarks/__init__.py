"""Speed and memory at a million rows: ``make bench``. Not part of the tests."""
