"""What goes wrong in notebook 07."""

from tests.exercises.mistakes import mistake, mistakes

SUBNETS, DNS = "courses/joon/net_subnets_ko.pptx", "courses/joon/net_dns_http_ko.pptx"

mistakes(
    "07.1",
    "page_number >= 5",
    "file_type == 'pptx' && page_number >= 5",
    f"file_type == 'pptx' && page_number > 5 && source_file nin ['{SUBNETS}', '{DNS}']",
    f"file_type == 'pptx' && page_number >= 5 && source_file != '{SUBNETS}'",
    f"file_type == 'pptx' && page_number >= 5 && (source_file != '{SUBNETS}' || source_file != '{DNS}')",
    "file_type = 'pptx'",
    7,
)


mistakes(
    "07.2",
    forgets_the_owner=lambda chunks, owner, ref_ids: (
        [each for each in chunks if ref_ids is None or each["ref_id"] in ref_ids]
    ),
    takes_an_empty_set_for_none=lambda chunks, owner, ref_ids: _visible(chunks, owner, ref_ids or None),
    trusts_a_blank_owner=lambda chunks, owner, ref_ids: (
        [each for each in chunks if each["user_id"] == owner and (ref_ids is None or each["ref_id"] in ref_ids)]
    ),
)


@mistake("07.2")
def joins_with_or(chunks, owner, ref_ids):
    if not owner.strip():
        raise ValueError
    return [each for each in chunks if each["user_id"] == owner or each["ref_id"] in (ref_ids or ())]


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


def _visible(chunks, owner, ref_ids):
    if not owner.strip():
        raise ValueError
    return [each for each in chunks if each["user_id"] == owner and (ref_ids is None or each["ref_id"] in ref_ids)]


mistakes(
    "07.3",
    believes_what_is_asked=lambda plan, asked: plan if asked is None else asked,
    joins_both=lambda plan, asked: plan | (asked or set()),
    takes_nothing_for_everything=lambda plan, asked: plan & asked if asked else plan,
    forgets_decomposed_names=lambda plan, asked: plan if asked is None else plan & asked,
)


@mistake("07.3")
def takes_none_for_nothing(plan, asked):
    from lessons.text import normalize

    return plan & {normalize(name) for name in asked or ()}


@mistake("07.3")
def narrows_the_plan_itself(plan, asked):
    from lessons.text import normalize

    if asked is not None:
        plan &= {normalize(name) for name in asked}
    return plan


def _own(chunks, ref_id):
    return [each for each in chunks if each["ref_id"] == ref_id and each["text"].strip()]


mistakes(
    "07.4",
    takes_the_end_as_well=lambda chunks, ref_id, start, end: sorted(
        (each for each in _own(chunks, ref_id) if start <= each["chunk_index"] <= end),
        key=lambda each: each["chunk_index"],
    ),
    keeps_the_stored_order=lambda chunks, ref_id, start, end: (
        [each for each in _own(chunks, ref_id) if start <= each["chunk_index"] < end]
    ),
)


@mistake("07.4")
def sorts_numbers_as_text(chunks, ref_id, start, end):
    found = [each for each in _own(chunks, ref_id) if start <= each["chunk_index"] < end]
    return sorted(found, key=lambda each: str(each["chunk_index"]))


mistakes(
    "07.4",
    counts_places_in_the_list=lambda chunks, ref_id, start, end: sorted(
        _own(chunks, ref_id), key=lambda each: each["chunk_index"]
    )[start:end],
)


@mistake("07.4")
def forgets_the_material(chunks, ref_id, start, end):
    found = [each for each in chunks if start <= each["chunk_index"] < end and each["text"].strip()]
    return sorted(found, key=lambda each: each["chunk_index"])


@mistake("07.4")
def returns_empty_chunks(chunks, ref_id, start, end):
    found = [each for each in chunks if each["ref_id"] == ref_id and start <= each["chunk_index"] < end]
    return sorted(found, key=lambda each: each["chunk_index"])


@mistake("07.5")
def asks_for_all_of_them(scores, bar):
    if not scores:
        return "nothing found"
    return "answer" if all(score >= bar for score in scores) else "not good enough"


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
