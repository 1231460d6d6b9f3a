"""How sure the bounds are: valid regions and the intervals that follow, and indicative resamples."""
