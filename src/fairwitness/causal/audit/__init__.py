"""What an audit asks of a graph and a table, and what it says of the answers."""
