"""A model of one's own: the weights of a GGUF file behind llama.cpp's server, in this process, on this machine."""

import socket
from pathlib import Path
from typing import Any

from lessons.errors import ModelError
from lessons.models.hub import MODELS

MAGIC = b"GGUF"
HOST = "127.0.0.1"


def serve_weights(weights: Path, port: int, window: int, name: str, template: str = "") -> Any:
    """Start a server, which runs for as long as it is referenced; `listening_address` is its root.

    Port 0 takes a free one. `window` is in tokens. `template` is for weights that come without a chat template.
    ModelError if the file or the port cannot be used, or the extra is not installed.
    """
    _check(weights, port)
    xllamacpp = import_server()
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.model_alias = str(weights), {name}
    parameters.hostnames, parameters.port, parameters.n_ctx = [HOST], port, window
    parameters.chat_template = template
    parameters.cors_origins = ""  # a page of the internet has no business here
    parameters.cache_ram_mib = 0  # no copies of earlier prompts
    parameters.verbosity = 0
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ModelError(
            f"llama.cpp cannot serve {weights.name}: the file is not whole, its architecture is unknown to xllamacpp"
            f" {xllamacpp.__version__}, or {window:,} tokens do not fit into memory. Download it again, choose other"
            " weights, or a smaller --window."
        ) from error


def import_server() -> Any:
    """Return the package of the server, an optional extra; ModelError if it is not installed."""
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelError("Serving weights needs xllamacpp; install it with `uv sync --extra local`.") from error
    return xllamacpp


def _check(weights: Path, port: int) -> None:
    try:
        with weights.open("rb") as file:
            begins = file.read(len(MAGIC))
    except OSError as error:
        raise ModelError(
            f"{weights} cannot be read ({error.strerror}); name a GGUF file, or {' or '.join(MODELS)}."
        ) from error
    if begins != MAGIC:
        raise ModelError(f"{weights} is not a GGUF file; download the weights in that format.")
    with socket.socket() as probe:
        if port and probe.connect_ex((HOST, port)) == 0:
            raise ModelError(f"The port {port} is taken; name another one with --port.")
