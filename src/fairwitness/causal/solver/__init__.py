"""From a question to its bounds: what is identified, one structure a file, and what vouches for it."""
