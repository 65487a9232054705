"""Files that are not plain CSV: unpacked, or read into the same table."""
