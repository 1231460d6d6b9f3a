"""Several models on the same rows: accuracy against differences between groups."""
