"""Korean labels in plots: the font comes with the workbook, so every machine draws the same."""

from functools import cache

import matplotlib as mpl
from matplotlib import font_manager

from lessons.settings import ROOT

FONT = ROOT / "data" / "fonts" / "NanumGothic.ttf"


@cache
def use_fonts() -> str:
    """Make the shipped font known to matplotlib and put it first; returns its name.

    DejaVu Sans stays behind it for signs that it lacks.
    """
    font_manager.fontManager.addfont(FONT)
    name = font_manager.FontProperties(fname=str(FONT)).get_name()
    mpl.rcParams["font.family"] = [name, "DejaVu Sans"]
    mpl.rcParams["axes.unicode_minus"] = False
    return name
