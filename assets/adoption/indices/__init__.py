"""Other indices of AI usage: the bridge to our tasks, and how well embedders agree with them."""
