"""A visitor of the app without a browser: a session of its own on the real server, over its WebSocket.

Streamlit's AppTest cannot do this: it puts a mock in the place of the one runtime of the process, and takes it away at
the end of a run, so two that run at once break each other.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect
from websockets.typing import Subprotocol

PATIENCE = 300.0  # seconds for the next message of the server


@contextmanager
def visitor(address: str) -> Iterator["Visitor"]:
    """Somebody who comes to the server at this address, for example `http://127.0.0.1:8501`."""
    with ExitStack() as open_pages:
        yield Visitor(address, open_pages)


class Visitor:
    """Opens each question's link in a session of its own, and leaves all of them open, as tabs of a browser."""

    def __init__(self, address: str, open_pages: ExitStack) -> None:
        self._stream, self._open_pages = f"ws{address.removeprefix('http')}/_stcore/stream", open_pages

    def ask(self, question: str, stage: str, owner: str) -> list[str]:
        """Press 'Ask' at the question's link, and give every text of the page when it is done.

        RuntimeError with the texts of error boxes and exceptions.
        """
        self.open()
        link = urlencode({"question": question, "stages": stage.capitalize(), "owner": owner})
        button = next(each.button.id for each in self.run(link) if each.button.label == "Ask")
        page = self.run(link, [WidgetState(id=button, trigger_value=True)])
        if wrong := [told for each in page if (told := trouble(each))]:
            raise RuntimeError("; ".join(wrong))
        return [each.markdown.body for each in page if each.WhichOneof("type") == "markdown"]

    def open(self) -> None:
        """Begin another session; what follows goes to it."""
        patient = {"open_timeout": PATIENCE, "ping_interval": None}  # a server that has much to do is not gone
        connection = connect(self._stream, subprotocols=[Subprotocol("streamlit")], max_size=None, **patient)
        self._socket = self._open_pages.enter_context(connection)

    def run(self, query: str = "", widgets: Sequence[WidgetState] = (), page: str = "") -> list[Element]:
        """Let the server run the page with these values of its widgets; the elements that stand on it in the end."""
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = query, page
        message.rerun_script.widget_states.widgets.extend(widgets)
        self.send(message)
        elements: dict[tuple[int, ...], Element] = {}
        for told in self._messages():
            if told.WhichOneof("type") == "new_session":
                elements = {}
            elif told.WhichOneof("type") == "delta" and told.delta.WhichOneof("type") == "new_element":
                elements[tuple(told.metadata.delta_path)] = told.delta.new_element
            elif told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and told.HasField("script_finished"):
                break
        return list(elements.values())

    def send(self, message: BackMsg) -> None:
        """Send what a browser might."""
        self._socket.send(message.SerializeToString())

    def _messages(self) -> Iterator[ForwardMsg]:
        while True:
            message = ForwardMsg()
            message.ParseFromString(self._socket.recv(PATIENCE, decode=False))
            yield message


def trouble(element: Element) -> str:
    """The words of an error box or an exception; empty if the element is neither."""
    if element.WhichOneof("type") == "exception":
        return f"{element.exception.type}: {element.exception.message}"
    is_error = element.WhichOneof("type") == "alert" and element.alert.format == element.alert.ERROR
    return element.alert.body if is_error else ""
