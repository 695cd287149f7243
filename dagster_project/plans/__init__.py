"""Plans of `suitability llm`: which calls each makes, from the inputs and the last refresh."""
