"""Small tools that any slice may use: the port to the warehouse, atomic writes, hashes, texts of rubrics."""
