"""What goes wrong in notebook 18."""

from tests.exercises.mistakes import mistake, mistakes

mistakes("18.1", 60)


mistakes(
    "18.2",
    sees_only_what_is_missing=lambda old, new: (sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())),
)


@mistake("18.2")
def compares_hashes_without_names(old, new):
    known = set(new.values())
    return sorted(name for name in old if old[name] not in known), sorted(new.keys() - old.keys())


@mistake("18.3")
def takes_away_what_is_left(spans):
    own = {name: tokens for name, _, tokens in spans}
    for name, parent, _ in spans:
        if parent is not None:
            own[parent] -= own[name]
    return own
