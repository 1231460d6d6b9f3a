"""One small module for each library: how its models are asked and how their answers are read."""
