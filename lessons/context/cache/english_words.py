"""The closed classes and phrases by which an English question is read, and what can always stand for what."""

# ruff: noqa: E501

import re

REWRITTEN = [
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"[’`]", "'"),
        (r"\b(?:can't|cannot)\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(\w)n't\b", r"\1 not"),
        (r"'(?:re|m)\b", " are"),
        (r"'ll\b", " will"),
        (r"'ve\b", " have"),
        (r"\b(i|you|we|they|he|she)'d\b", r"\1 would"),
        (r"\b(who|what|where|when|why|how|that|there|it|he|she|here)'?s\b", r"\1 is"),
        (r"'s\b|(?<=s)'(?=\s)", " 's "),
        (r"\b(?:got to|gotta|(?:have|has|had|need|needs|needed) to|needs?(?= to)|required to|supposed to|should)\b", "must"),
        (r"\bgonna\b|\b(?:am|is|are) going to(?= \w)", "will"),
        (r"\b(?:able|allowed|permitted|possible) to\b|\bis it (?:ok|okay|possible|allowed|permitted) (?:to|if)\b", "can"),
        (r"\b(?:not|n't) (?:\w+ )?(?:can|may)\b|\b(?:forbidden|prohibited|banned)\b", "can not"),
        (r"\b(?:in|on|at|for|by)? ?(?:what|which) (?:date|day|time|moment)\b|\bwhat is the (?:date|time) (?:of|for)\b", "when"),
        (r"\b(?:in|at)? ?(?:what|which) (?:place|location)\b", "where"),
        (r"\b(?:for )?(?:what|which) (?:is the |was the )?(?:reason|cause)(?: for| that)?\b|\bhow come\b", "why"),
        (r"\b(?:(?:what|how large) (?:is |was )?)?the number of\b|\b(?:what |^)number of\b", "how many"),
        (r"\bhow (?:much|large|big|high|great)\b", "what"),
        (r"\b(?:wich|whch|whihc)\b", "which"),
        (r"\b(?:waht|wht|wat)\b", "what"),
        (r"\bthe (?:right|correct|proper|exact) ", "the "),
        (r"(#\S+)\s+(?:long|old|tall|high|wide|deep)\b", r"\1"),
        (r"\b(?:does|do|did|will) ([^?]*?) last\s+(?=#)", r"is \1 "),
        (r"\bwhat (?:do|must|can) \w+ (?:must )?do to\b|\b(?:what (?:are|is) )?the (?:\w+ )?(?:steps?|way|procedure|process) (?:to|for|of)\b"
         r"|\bhow (?:to|do you go about)\b", "how do i"),
        (r"\btakes? place\b|\btook place\b", "is held"),
        (r"\b(?:turn|switch)(?:ed|ing)? on\b", "enable"),
        (r"\b(?:turn|switch)(?:ed|ing)? off\b", "disable"),
        (r"\b(?:get|gets|got|getting) rid of\b", "remove"),
        (r"\b(?:free of charge|at no (?:charge|cost)|for free|for nothing)\b", "free"),
        (r"\bless (?:expensive|costly)\b", "cheaper"),
        (r"\bin total\b|\baltogether\b", "total"),
        (r"^(if|when|once|before|after|in|on|at|for|during) ([^,?]+), ([^,?]+)(?=\?|$)", r"\3 \1 \2"),
    )
]  # fmt: skip
POLITE = frozenset(
    "so basically i was were just wondering would could can you kindly explain please tell me do know hi hello hey there"  # noqa: SIM905
    " want to like need let curious about quick question any idea excuse sorry ok okay um well find out asking dear team"
    " say show help understand wonder the is it and but actually anyone thanks am are have for a not sure by way anybody"
    " good morning afternoon evening we us my our must".split()
)
"""Words that a question may begin with before it begins."""
SPEAKS = frozenset(
    [
        "tell",
        "explain",
        "know",
        "wondering",
        "wonder",
        "idea",
        "question",
        "say",
        "curious",
        "sure",
        "asking",
        "hi",
        "hello",
        "hey",
        "please",
    ]
)

LIGHT = frozenset(
    "a an the it its be been being do does did have has had having to please so basically kindly thanks thank i you we my"  # noqa: SIM905
    " your our me us and then possible".split()
)
OPTIONAL = frozenset(
    "this these that those there here just also exactly actually really exist exists happen happens very exact get gets"  # noqa: SIM905
    " usually normally typically generally".split()
)
"""Words that one question may have and the other not, though not each another one."""

DETERMINERS = frozenset("a an the my our your i you we it".split())  # noqa: SIM905
PERSONS = {"i": "1", "me": "1", "my": "1", "we": "1", "us": "1", "our": "1", "you": "2", "your": "2"}
AUXILIARIES = {
    **dict.fromkeys(("is", "are", "am", "be", "been", "being", "was", "were"), "be"),
    **dict.fromkeys(("do", "does", "did"), "do"),
    **dict.fromkeys(("can", "could", "may", "might", "must", "will", "would", "shall"), "modal"),
}
MODALITY = {"can": "can", "could": "can", "may": "can", "might": "can", "must": "must"}
TENSES = {
    word: tense
    for tense, words in {"past": "was were did", "present": "is are does do am", "future": "will shall"}.items()
    for word in words.split()
}
NEGATIONS = frozenset("not no never neither nor none nobody nothing".split())  # noqa: SIM905
ASKS = {
    "what": "what", "which": "what", "who": "who", "whom": "who", "whose": "whose", "when": "when", "where": "where",
    "why": "why", "how": "how",
}  # fmt: skip
ASPECTS = {
    noun: ask
    for ask, nouns in {
        "many": "many", "how long": "long duration period length", "how often": "often frequency", "how far": "far distance",
        "how old": "old age", "soon": "soon", "depth": "deep depth", "height": "tall height", "weight": "heavy weight",
        "width": "wide width", "speed": "fast speed", "heat": "hot temperature", "when": "date time", "where": "place location",
        "why": "reason cause", "how": "way step procedure",
    }.items()
    for noun in nouns.split()
}  # fmt: skip
"""'How deep' asks for the depth, and so does 'what is the depth'."""

PREPOSITIONS = frozenset(
    "of in on at for to from into onto before after during until till since by with without within between through"  # noqa: SIM905
    " than against over under above below about around across per via inside outside near behind beside towards"
    " except excluding including if unless because while whether when once as like".split()
)
SAME_PREPOSITION = {"till": "until", "prior": "before", "following": "after", "once": "when", "via": "through"}
SYNONYMS = {
    word: group.split()[0]
    for group in (
        "buy purchase", "delete remove erase eliminate", "change modify alter", "create make", "employee staff worker",
        "company firm", "error fault", "fix repair", "get receive obtain", "mean meaning signify", "include contain",
        "permit allow", "keep retain", "phone telephone", "start begin commence", "end finish", "enable activate",
        "disable deactivate", "big large", "biggest largest greatest", "bigger larger", "car automobile", "film movie",
        "doctor physician", "shop store", "photo picture", "bike bicycle", "lawyer attorney", "rent lease",
        "child kid", "holiday vacation", "flat apartment", "mobile cellphone", "needed required necessary", "close shut",
        "wrong incorrect", "right correct", "quick fast", "garbage rubbish trash", "luggage baggage", "choose pick select",
        "grow rise increase", "fall decline decrease drop", "max maximum most", "min minimum least", "reply answer respond",
        "mom mum mother", "dad father", "tv television", "sick ill",
    )
    for word in group.split()
}  # fmt: skip
CONVERSE = {"borrow": "lend", "buy": "sell", "learn": "teach", "get": "give", "rent": "let"}
"""Who borrows from somebody is lent to by them."""
OPPOSITES = {
    "big": "small", "high": "low", "old": "young", "long": "short", "expensive": "cheap", "heavy": "light", "fast": "slow",
    "tall": "short", "warm": "cold", "hot": "cold", "late": "early", "hard": "easy", "strong": "weak", "wide": "narrow",
    "good": "bad", "more": "less", "thick": "thin", "dear": "cheap", "far": "near", "deep": "shallow", "rich": "poor",
}  # fmt: skip
"""What is bigger than a thing, of that the thing is smaller."""
IRREGULAR = {
    form: entry.partition(":")[0]
    for entry in (
        "lend:lent shoot:shot bite:bit,bitten hit:hit hide:hid,hidden ride:rode,ridden fly:flew,flown blow:blew,blown"  # noqa: SIM905
        " catch:caught fight:fought sleep:slept bend:bent lay:laid shine:shone cost:cost burn:burnt deal:dealt dig:dug"
        " feed:fed hang:hung stick:stuck strike:struck swing:swung wake:woke,woken forget:forgot,forgotten give:gave,given"
        " sing:sang,sung drink:drank,drunk swim:swam,swum wear:wore,worn tear:tore,torn shake:shook,shaken steal:stole,stolen"
        " do:did,done put:put cut:cut set:set shut:shut feel:felt lie:lay ring:rang,rung sink:sank,sunk spread:spread"
        " get:got,gotten beat:beaten".split()
    )
    for form in entry.partition(":")[2].split(",")
}
