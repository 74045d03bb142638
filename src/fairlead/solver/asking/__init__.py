"""Questions about an answer: what one replica more or less, or another bound, would change."""
