"""Traces as timelines: a bar for each step, in the colour of its stage, below its name and what it used."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from lessons.evaluate.canvas import stage_colour
from lessons.evaluate.comparison import Bar, summary, timeline
from lessons.rag.answer import Answer
from lessons.tables import plain, plain_line

_ROW, _AXIS = 34, 50  # pixels
_INK = "#808495"  # grey enough for a light and a dark page


def show_timeline(answers: Sequence[Answer]) -> None:
    """A chart for each answer, all on one time axis, and its steps with their queries and notes; of several, folded."""
    longest = max((answer.trace.ms for answer in answers), default=0.0)
    for answer in answers:
        bars, several = timeline(answer.trace), len(answers) > 1
        if several:
            st.markdown(f"**{plain(answer.stage.capitalize())}** · {plain(summary(answer.trace))}")
        alt = f"Timeline of {answer.stage}: {summary(answer.trace)}"
        st.vega_lite_chart(_rows(bars), _chart(answer.stage, len(bars), longest), alt=alt)
        with st.expander(f"Steps of {plain(answer.stage)}") if several else st.container():
            _show_steps(answer, bars)


def _rows(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    return [
        {"step": number, "from": bar.start, "to": bar.end, "within": bar.depth > 0, "said": _label(number, bar)}
        for number, bar in enumerate(bars, start=1)
    ]


def _label(number: int, bar: Bar) -> str:
    used = [f"{bar.ms:,.0f} ms"]
    if bar.llm_calls:
        used += [f"{bar.llm_calls} × model", f"{bar.tokens_in:,} → {bar.tokens_out:,} tokens"]
    if bar.cost:
        used.append(f"${bar.cost:.4f}")
    return f"{number} {_named(bar)}: {', '.join(used)}"


def _chart(stage: str, rows: int, longest: float) -> dict[str, Any]:
    """A Vega-Lite chart of `_rows`; steps within a step are paler."""
    time = {"type": "quantitative", "scale": {"domain": [0, longest], "nice": False}}
    axis = {"title": "milliseconds", "tickCount": 5}
    bar = {"type": "bar", "color": stage_colour(stage), "height": 8, "yOffset": 9}
    opacity = {"condition": {"test": "datum.within", "value": 0.5}, "value": 1}
    text = {"type": "text", "align": "left", "dy": -5, "color": _INK, "fontSize": 12}
    return {
        "height": rows * _ROW + _AXIS,
        "encoding": {"y": {"field": "step", "type": "ordinal", "axis": None}},
        "layer": [
            {
                "mark": bar,
                "encoding": {"x": {"field": "from", **time, "axis": axis}, "x2": {"field": "to"}, "opacity": opacity},
            },
            {"mark": text, "encoding": {"x": {"value": 0}, "text": {"field": "said"}}},
        ],
    }


def _show_steps(answer: Answer, bars: Sequence[Bar]) -> None:
    for bar in bars:
        for line in bar.said:
            st.caption(f"**{plain(bar.name)}** {plain_line(line)}")
    st.dataframe([_used(bar) for bar in bars], hide_index=True, key=f"steps-{id(answer)}")


def _used(bar: Bar) -> dict[str, Any]:
    return {
        "step": _named(bar),
        "ms": round(bar.ms, 1),
        "model calls": bar.llm_calls,
        "tokens in": bar.tokens_in,
        "tokens out": bar.tokens_out,
        "cost ($)": bar.cost,
    }


def _named(bar: Bar) -> str:
    """The name of the step, behind a dash if it is within another; Vega would cut off spaces at the beginning."""
    return f"{'– ' * bar.depth}{bar.name}"
