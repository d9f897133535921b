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


@mistake("07.2")
def forgets_the_owner(chunks, owner, ref_ids):
    return [each for each in chunks if ref_ids is None or each["ref_id"] in ref_ids]


@mistake("07.2")
def takes_an_empty_set_for_none(chunks, owner, ref_ids):
    return _visible(chunks, owner, ref_ids or None)


@mistake("07.2")
def trusts_a_blank_owner(chunks, owner, ref_ids):
    return [each for each in chunks if each["user_id"] == owner and (ref_ids is None or each["ref_id"] in ref_ids)]


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


@mistake("07.3")
def believes_what_is_asked(plan, asked):
    return plan if asked is None else asked


@mistake("07.3")
def joins_both(plan, asked):
    return plan | (asked or set())


@mistake("07.3")
def takes_nothing_for_everything(plan, asked):
    return plan & asked if asked else plan


@mistake("07.3")
def forgets_decomposed_names(plan, asked):
    return plan if asked is None else plan & asked


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


@mistake("07.4")
def takes_the_end_as_well(chunks, ref_id, start, end):
    return sorted(
        (each for each in _own(chunks, ref_id) if start <= each["chunk_index"] <= end),
        key=lambda each: each["chunk_index"],
    )


@mistake("07.4")
def keeps_the_stored_order(chunks, ref_id, start, end):
    return [each for each in _own(chunks, ref_id) if start <= each["chunk_index"] < end]


@mistake("07.4")
def sorts_numbers_as_text(chunks, ref_id, start, end):
    found = [each for each in _own(chunks, ref_id) if start <= each["chunk_index"] < end]
    return sorted(found, key=lambda each: str(each["chunk_index"]))


@mistake("07.4")
def counts_places_in_the_list(chunks, ref_id, start, end):
    return sorted(_own(chunks, ref_id), key=lambda each: each["chunk_index"])[start:end]


@mistake("07.4")
def forgets_the_material(chunks, ref_id, start, end):
    found = [each for each in chunks if start <= each["chunk_index"] < end and each["text"].strip()]
    return sorted(found, key=lambda each: each["chunk_index"])


@mistake("07.4")
def returns_empty_chunks(chunks, ref_id, start, end):
    found = [each for each in chunks if each["ref_id"] == ref_id and start <= each["chunk_index"] < end]
    return sorted(found, key=lambda each: each["chunk_index"])


@mistake("07.5")
def looks_at_the_first(scores, bar):
    if not scores:
        return "nothing found"
    return "answer" if scores[0] >= bar else "not good enough"


@mistake("07.5")
def averages(scores, bar):
    if not scores:
        return "nothing found"
    return "answer" if sum(scores) / len(scores) >= bar else "not good enough"


@mistake("07.5")
def asks_for_all_of_them(scores, bar):
    if not scores:
        return "nothing found"
    return "answer" if all(score >= bar for score in scores) else "not good enough"


@mistake("07.5")
def fails_when_nothing_was_found(scores, bar):
    return "answer" if max(scores) >= bar else "not good enough"


@mistake("07.5")
def says_one_thing_for_both(scores, bar):
    return "answer" if scores and max(scores) >= bar else "nothing found"


@mistake("07.5")
def asks_for_more_than_the_bar(scores, bar):
    if not scores:
        return "nothing found"
    return "answer" if max(scores) > bar else "not good enough"
