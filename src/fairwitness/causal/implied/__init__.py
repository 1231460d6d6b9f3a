"""What a graph implies of a table, tested."""
