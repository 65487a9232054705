"""What noisy resamples reveal: bounds, attained profiles, composition, calibration."""
