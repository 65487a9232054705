"""The pages of the bootstrap, subsampling and the resized bootstrap."""
