"""Words that say nothing about the subject of a text."""

ENGLISH_STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being
    below between both but by can could did do does doing done down during each either else few for from
    further get gets had has have having he her here hers him his how i if in into is it its itself just
    let many me more most much must my no nor not of off on once only or other our out over own please
    shall she should so some such tell than that the their them then there these they this those through
    to too under until up upon us very was we were what when where whether which while who whom whose
    why will with would you your yours
    """.split()  # noqa: SIM905
)
KOREAN_STOP_WORDS = frozenset(
    """
    그 이 저 것 수 등 및 더 또 또는 혹은 그리고 그러나 하지만 그런데 그래서 대한 대해 대하여 관한 관해
    관하여 위한 위해 위해서 통해 통한 따라 따른 때 때는 경우 경우에 경우에는 모두 각각 좀 즉 제 내 나 저는
    제가 우리 이것 그것 이런 그런 이는 그는 하는 하고 하며 하면 하여 해서 한 할 함 했 해 되는 되고 되며
    되면 되어 된 될 됨 있는 있고 있으며 있으면 있어 있을 있음 있다 없는 없고 없으며 없으면 없어 없을 없음
    없다 이다 아니다 건가요 걸까요 거죠 건 게
    """.split()  # noqa: SIM905
)
