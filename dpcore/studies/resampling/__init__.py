"""The bootstrap, subsampling and the resized bootstrap, claimed and true."""
