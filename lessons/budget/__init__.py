"""One token budget over everything that a model is sent (row A12)."""

from lessons.budget.plan import Budget, Piece, Plan
from lessons.budget.traffic import trim

__all__ = ["Budget", "Piece", "Plan", "trim"]
