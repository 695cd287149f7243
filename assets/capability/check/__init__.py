"""How well a fit predicts: curves, held-out items, influence."""
