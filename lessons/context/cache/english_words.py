"""The words and phrases by which an English question is read.

Only what can always stand for the other counts as a synonym: a price is not always a cost, nor a client a customer.
"""

import re

POLITE = re.compile(
    r"\b(?:hi|hello|hey|please|kindly|thanks|thank you|dear|(?:can|could|would) you (?:please )?(?:tell|explain to) me"
    r"|(?:please )?tell me|do you know|i(?:'d| would) like to know|i want to know|i wonder|let me know)\b",
    re.IGNORECASE,
)
REWRITTEN = [
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"(\w)n['’]t\b", r"\1 not"),
        (r"\bcanno?t\b|\bca not\b", "can not"),
        (r"['’]s\b", ""),
        (r"['’](?:re|m|ve|ll|d)\b", " "),
        (r"\b(?:turn|switch)(?:ed|ing)? on\b", "enable"),
        (r"\b(?:turn|switch)(?:ed|ing)? off\b", "disable"),
        (r"\b(?:in|on|at|for|by)? ?(?:what|which) (?:date|day|time|moment)\b", "when"),
        (r"\b(?:in|at)? ?(?:what|which) (?:place|location)\b", "where"),
        (r"\b(?:for )?(?:what|which) (?:is the |was the )?(?:reason|cause)\b", "why"),
        (r"\b(?:(?:what|how large) (?:is |was )?)?the number of\b|\b(?:what |^)number of\b", "how many"),
        (r", (?:who|which) (?:is|are|was|were)\b", ""),
        (r"^(if|when|once|before|after) ([^,?]+), ([^,?]+\?)$", r"\3 \1 \2"),
        (r"\bhow (?:much|large|big|high|great)\b", "what"),
        (r"\bwhat (?:do|must|should|can) \w+ (?:have to )?do to\b", "how do i"),
        (r"\b(?:what (?:are|is) )?the (?:steps|way|procedure|process) (?:to|for|of)\b|\bhow to\b", "how do i"),
        (r"\btakes? place\b|\btook place\b", "held"),
        (r"\bis (?:it )?possible to\b|\bis (?:it )?allowed to\b|\bare we allowed to\b|\bam i allowed to\b", "can i"),
        (r"\b(?:have|has|had|need|needs|needed) to\b|\bneed not\b|\brequired to\b|\bshould\b", "must"),
        (r"\b(first|second|third|fourth|1st|2nd|3rd|4th)[ -](quarter|half)\b", r"\1\2"),
    )
]
NUMBERS = {
    word: str(value)
    for value, spelled in enumerate(
        ("zero", "one first", "two second twice", "three third", "four fourth", "five fifth", "six sixth",
         "seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh", "twelve twelfth")
    )
    for word in spelled.split()
} | {
    "half": "1/2", "dozen": "12", "twenty": "20", "thirty": "30", "fifty": "50", "hundred": "100", "thousand": "1000",
}  # fmt: skip
CALENDAR = {
    f"{name}{part}": f"{part[0]}{number}"
    for number, names in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th"), start=1)
    for name in names.split()
    for part in ("quarter", "half")
}
ASKS = {
    "what": "what", "which": "what", "who": "who", "whom": "who", "whose": "who", "when": "when", "where": "where",
    "why": "why", "how many": "how many", "how long": "how long", "how often": "how often", "how far": "how far",
    "how old": "how old", "how soon": "how soon", "how": "how", "summar": "summary", "list": "list",
}  # fmt: skip
ASK = re.compile(
    r"\b(?:how (?:many|long|often|far|old|soon)|what|which|who|whom|whose|when|where|why|how|summar|list\b)"
)
MEASURE = re.compile(r"\bhow (?:many|long|often|far|old|soon)\b")
WHETHER = re.compile(
    r"(?:^|[.,;:] )(?:is|are|am|was|were|do|does|did|can|could|may|might|will|would|shall|must|has|have|had)\b"
)
ASPECTS = {
    "date": "when", "period": "how long", "durat": "how long", "length": "how long", "place": "where",
    "locat": "where", "reason": "why", "caus": "why", "way": "how", "step": "how", "procedur": "how",
}  # fmt: skip
"""Nouns that say what a 'what' asks for: the date of the exam is when it is."""

NEGATIONS = frozenset(
    "not no never without except excluding exclude excludes excluded neither nor none nobody nothing".split()  # noqa: SIM905
)
DIRECTIONS = {
    word: group.split()[0]
    for group in (
        "up rise rises rose risen rising grow grows grew grown growing increase increases increased increasing",
        "down fall falls fell fallen falling decline declines declined declining decrease decreases decreased drop"
        " drops dropped shrink shrinks shrank shrunk",
        "more greater", "less fewer", "above over exceed exceeds exceeded", "below under", "most maximum max",
        "least minimum min fewest", "largest biggest greatest", "before prior", "after following", "until till",
        "since", "during", "between", "through", "start starts started starting begin begins began begun beginning",
        "end ends ended ending finish finishes finished", "enable enables enabled activate activated",
        "disable disables disabled deactivate deactivated", "out", "off", "only", "all every each", "both", "few",
        "some", "other another", "same", "own", "again", "against",
    )
    for word in group.split()
}  # fmt: skip
"""Words that turn a question round or narrow it, though search passes over most of them."""

SYNONYMS = {
    word: group.split()[0]
    for group in (
        "bui purchas", "delet remov eras", "chang modifi alter", "creat make", "employe staff worker", "compani firm",
        "error fault", "fix repair", "get receiv obtain", "mean meaning signifi", "includ contain", "permit allow",
        "keep retain", "phone telephon",
    )
    for word in group.split()
}  # fmt: skip
VAGUE = frozenset("there be do have exist happen possibl thing someth exact actual".split())  # noqa: SIM905
_ARTICLE = r"(?:(?:the|an?|our|my|your|their) )?(\w+)"
SUBJECT = re.compile(rf"\b(?:does|do|did|can|could|may|might|will|would|must|has|have)\b(?: not)? {_ARTICLE}")
PLAYED = re.compile(rf"\b(from|into|than|by|against|per) {_ARTICLE}")
HEAD = re.compile(r"\b(?:what|which|whose|how many) (?:(?:the|of) )*(\w+)")
TENSES = {
    word: tense
    for tense, words in {"past": "was were did had", "present": "is are does do has am", "future": "will shall"}.items()
    for word in words.split()
}
