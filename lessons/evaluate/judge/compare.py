"""When two quantities are the same, and when one is close to the other without being right."""

from decimal import Decimal

from lessons.evaluate.judge.quantities import COUNTS, MONEY, Quantity

SEVERAL = 10_000  # from this size on '2,270억' without 원 is the amount in 원


def equal(there: Quantity, wanted: Quantity) -> bool:
    """Whether two quantities are the same; a fact without a unit fits any, one of a single digit only a count."""
    if not wanted.kind:
        same = there.number == wanted.number or (there.written == wanted.written and not wanted.scaled)
        return same and (wanted.figures > 1 or there.kind in COUNTS)
    if there.kind == wanted.kind:
        return there.value == wanted.value
    unit_is_clear = wanted.kind in COUNTS or (wanted.kind in MONEY and there.scaled and there.value >= SEVERAL)
    return there.kind == "" and there.value == wanted.value and unit_is_clear


def close(there: Quantity, wanted: Quantity) -> bool:
    """Rounded, in another unit of the same sort, or with the unit missing."""
    if there.kind == wanted.kind and there.value != wanted.value:
        return _rounded(there, wanted) or (there.written == wanted.written and wanted.kind not in COUNTS)
    alike = {there.kind, wanted.kind} <= MONEY or {there.kind, wanted.kind} <= {"percent", "point"}
    time = {there.kind, wanted.kind} <= {"time", "months", "working days"}
    missing = there.kind == "" and wanted.figures > 1
    return there.written == wanted.written and (alike or time or missing)


def _rounded(there: Quantity, wanted: Quantity) -> bool:
    """Whether the number is the wanted one with fewer digits; below three digits it must be called approximate."""
    if there.figures >= wanted.figures or not (there.about or there.figures > 2):
        return False
    places = there.value.normalize().as_tuple().exponent
    return wanted.value.quantize(Decimal(1).scaleb(int(places))) == there.value
