"""Rates a group and their comparison, and single metrics in scikit-learn's manner."""
