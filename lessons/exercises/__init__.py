"""Exercises: `check`, `hint`, `solved` and `progress`; and predictions: `guess`, `settle` and `calibration`."""

from lessons.exercises.checking import check, hint, progress, solved
from lessons.exercises.guesses import calibration, guess, settle

__all__ = ["calibration", "check", "guess", "hint", "progress", "settle", "solved"]
