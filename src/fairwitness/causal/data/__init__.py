"""What was observed: tables counted into distributions, and what is known of a predictor."""
