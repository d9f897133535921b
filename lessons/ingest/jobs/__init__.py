"""Ingestion in the background. `jobs` is what others use; every other module is one part of it."""
