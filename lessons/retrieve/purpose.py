"""How many chunks by purpose (row C3)."""

from typing import Literal

from lessons.settings import settings

Purpose = Literal["chat", "plan", "session"]


def top_k_for(purpose: Purpose) -> int:
    """A chat needs some passages, a plan an overview, a session only its own."""
    chosen = settings()
    return {"chat": chosen.chat_top_k, "plan": chosen.plan_top_k, "session": chosen.session_top_k}[purpose]
