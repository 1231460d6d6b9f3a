"""Causal graphs, sets of paths in them, and the nested counterfactuals they ask about: before any data."""
