"""What goes wrong in notebook 14."""

from tests.exercises.mistakes import mistake, mistakes

mistakes("14.1", 102.4, 307_200_000_000)


@mistake("14.2")
def refuses_what_fits_to_the_byte(options, chunks, memory):
    fitting = [option for option in options if option[1] * chunks < memory]
    return max(fitting, key=lambda option: (option[2], -option[1]))[0] if fitting else ""


@mistake("14.2")
def fails_when_none_fits(options, chunks, memory):
    fitting = [option for option in options if option[1] * chunks <= memory]
    return max(fitting, key=lambda option: (option[2], -option[1]))[0]


@mistake("14.2")
def takes_the_larger_of_equals(options, chunks, memory):
    fitting = [option for option in options if option[1] * chunks <= memory]
    return max(fitting, key=lambda option: (option[2], option[1]))[0] if fitting else ""


mistakes(
    "14.3",
    trusts_every_replica=lambda wrote, replicas: (
        max(replicas, key=lambda replica: replica[1])[0] if replicas else "primary"
    ),
)


@mistake("14.3")
def wants_more_than_the_write(wrote, replicas):
    name, replayed = max(replicas, key=lambda replica: replica[1], default=("primary", -1))
    return name if wrote is None or replayed > wrote else "primary"


@mistake("14.3")
def forgets_who_wrote_nothing(wrote, replicas):
    name, replayed = max(replicas, key=lambda replica: replica[1], default=("primary", -1))
    return name if wrote is not None and replayed >= wrote else "primary"


mistakes(
    "14.3",
    takes_the_first_that_has_it=lambda wrote, replicas: next(
        (name for name, replayed in replicas if wrote is None or replayed >= wrote), "primary"
    ),
)


mistakes(
    "14.4",
    takes_turns=lambda owners, servers: [[name for name, _ in owners[place::servers]] for place in range(servers)],
)


@mistake("14.4")
def drops_empty_servers(owners, servers):
    placed, load = [[] for _ in range(servers)], [0] * servers
    for name, chunks in sorted(owners, key=lambda owner: -owner[1]):
        emptiest = load.index(min(load))
        placed[emptiest].append(name)
        load[emptiest] += chunks
    return [server for server in placed if server]
