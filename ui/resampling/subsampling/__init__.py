"""The page of subsampling."""
