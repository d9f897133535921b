"""Enriching chunks: what a model adds to each, what it is told, and what that will cost."""
