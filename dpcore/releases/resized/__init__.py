"""A mean or a share by a resample, published and repaired."""
