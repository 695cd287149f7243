"""From responses to a posterior: the model, two engines, convergence, and the kept fits."""
