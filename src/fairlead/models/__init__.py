"""What a problem and an answer are: pure data and pure functions; knows no solver."""
