"""How it is counted: labels, sums and counts of rows, and what is worked out from them."""
