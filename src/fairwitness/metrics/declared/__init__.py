"""What is measured: every metric declared once, in one table."""
