"""Rerankers, a module each."""
