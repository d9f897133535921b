"""Judging an answer. `judge` is the judge; every other module is one thing that it looks at, or a look at it."""
