"""What goes wrong in notebook 07."""

from tests.exercises.mistakes import mistake, mistakes

SUBNETS, DNS = "courses/joon/net_subnets_ko.pptx", "courses/joon/net_dns_http_ko.pptx"

mistakes(
    "07.1",
    f"file_type == 'pptx' && page_number > 5 && source_file nin ['{SUBNETS}', '{DNS}']",
    f"file_type == 'pptx' && page_number >= 5 && source_file != '{SUBNETS}'",
    f"file_type == 'pptx' && page_number >= 5 && (source_file != '{SUBNETS}' || source_file != '{DNS}')",
    "file_type = 'pptx'",
    7,
)


mistakes("07.2", takes_an_empty_set_for_none=lambda chunks, owner, ref_ids: _visible(chunks, owner, ref_ids or None))


@mistake("07.2")
def compares_beginnings(chunks, owner, ref_ids):
    if not owner.strip():
        raise ValueError
    own = [each for each in chunks if each["user_id"].startswith(owner)]
    return [each for each in own if ref_ids is None or each["ref_id"] in ref_ids]


@mistake("07.2")
def refuses_only_the_empty_name(chunks, owner, ref_ids):
    if not owner:
        raise ValueError
    return [each for each in chunks if each["user_id"] == owner and (ref_ids is None or each["ref_id"] in ref_ids)]


@mistake("07.2")
def refuses_an_empty_set(chunks, owner, ref_ids):
    if not ref_ids and ref_ids is not None:
        raise ValueError
    return _visible(chunks, owner, ref_ids)


def _visible(chunks, owner, ref_ids):
    if not owner.strip():
        raise ValueError
    return [each for each in chunks if each["user_id"] == owner and (ref_ids is None or each["ref_id"] in ref_ids)]


mistakes("07.3", forgets_decomposed_names=lambda plan, asked: plan if asked is None else plan & asked)


@mistake("07.3")
def takes_none_for_nothing(plan, asked):
    from lessons.text import normalize

    return plan & {normalize(name) for name in asked or ()}


def _own(chunks, ref_id):
    return [each for each in chunks if each["ref_id"] == ref_id and each["text"].strip()]


mistakes(
    "07.4",
    keeps_the_stored_order=lambda chunks, ref_id, start, end: (
        [each for each in _own(chunks, ref_id) if start <= each["chunk_index"] < end]
    ),
)


@mistake("07.4")
def returns_empty_chunks(chunks, ref_id, start, end):
    found = [each for each in chunks if each["ref_id"] == ref_id and start <= each["chunk_index"] < end]
    return sorted(found, key=lambda each: each["chunk_index"])


mistakes(
    "07.5",
    fails_when_nothing_was_found=lambda scores, bar: "answer" if max(scores) >= bar else "not good enough",
    says_one_thing_for_both=lambda scores, bar: "answer" if scores and max(scores) >= bar else "nothing found",
)


@mistake("07.5")
def asks_for_more_than_the_bar(scores, bar):
    if not scores:
        return "nothing found"
    return "answer" if max(scores) > bar else "not good enough"
