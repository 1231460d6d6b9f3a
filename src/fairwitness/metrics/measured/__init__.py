"""Every metric of one table at once, whether the rows are here or elsewhere."""
