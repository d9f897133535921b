"""Similarity of words alone, without any database: the share of distinct terms that two texts have in common."""

from lessons.text import terms


def jaccard(left: str, right: str) -> float:
    """|A ∩ B| / |A ∪ B| over `lessons.text.terms` (Jaccard, 1901), from 0 to 1; 0 when neither text has any."""
    first, second = set(terms(left)), set(terms(right))
    return len(first & second) / len(first | second) if first | second else 0.0
