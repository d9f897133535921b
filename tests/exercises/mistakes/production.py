"""What goes wrong in notebook 18."""

from tests.exercises.mistakes import mistake, mistakes

mistakes("18.1", 60, 36_000 / 700, 360, 1.2, "soon")


mistakes(
    "18.2",
    sees_only_what_is_missing=lambda old, new: (sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())),
    removes_nothing=lambda old, new: (sorted(name for name in old if new.get(name) != old[name]), []),
)


@mistake("18.2")
def removes_what_has_changed(old, new):
    changed = sorted(name for name in old if new.get(name) != old[name])
    return changed, sorted(name for name in new if old.get(name) != new[name])


@mistake("18.2")
def compares_hashes_without_names(old, new):
    known = set(new.values())
    return sorted(name for name in old if old[name] not in known), sorted(new.keys() - old.keys())


mistakes(
    "18.3",
    counts_parts_twice=lambda spans: {name: tokens for name, _, tokens in spans},
)


@mistake("18.3")
def takes_all_descendants(spans):
    parents = {name: parent for name, parent, _ in spans}
    own = {name: tokens for name, _, tokens in spans}
    for name, _, tokens in spans:
        while (name := parents[name]) is not None:
            own[name] -= tokens
    return own


@mistake("18.3")
def expects_the_step_first(spans):
    own = {}
    for name, parent, tokens in spans:
        own[name] = tokens
        if parent is not None:
            own[parent] -= tokens
    return own


@mistake("18.3")
def takes_away_what_is_left(spans):
    own = {name: tokens for name, _, tokens in spans}
    for name, parent, _ in spans:
        if parent is not None:
            own[parent] -= own[name]
    return own
