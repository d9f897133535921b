"""Enriching chunks (row B3): what a model adds to each, what it is told, and what that will cost."""
