"""What goes wrong in notebook 12."""

from hashlib import sha256

from tests.exercises.mistakes import mistake, mistakes

mistakes("12.1", 120, 30)


def _retried(action, wait, pauses, error=TimeoutError):
    for seconds in pauses:
        try:
            return action()
        except error:
            wait(seconds)
    return action()


@mistake("12.2")
def never_gives_up(action, wait, attempts, first, most):
    while True:
        try:
            return action()
        except TimeoutError:
            wait(first)
            first = min(2 * first, most)


mistakes(
    "12.2",
    caps_all_waits_but_the_first=lambda action, wait, attempts, first, most: _retried(
        action, wait, [min(first * 2**number, most) if number else first for number in range(attempts - 1)]
    ),
    knows_no_cap=lambda action, wait, attempts, first, most: _retried(
        action, wait, [first * 2**number for number in range(attempts - 1)]
    ),
    waits_longer_by_the_same=lambda action, wait, attempts, first, most: _retried(
        action, wait, [min(first * (number + 1), most) for number in range(attempts - 1)]
    ),
    retries_everything=lambda action, wait, attempts, first, most: _retried(
        action, wait, [min(first * 2**number, most) for number in range(attempts - 1)], Exception
    ),
    tries_once_too_often=lambda action, wait, attempts, first, most: _retried(
        action, wait, [min(first * 2**number, most) for number in range(attempts)]
    ),
)


class _Breaker:
    def __init__(self, limit, pause):
        self.limit, self.pause, self.failures, self.since = limit, pause, 0, None

    def allows(self, now):
        return self.since is None or now - self.since >= self.pause

    def failed(self, now):
        self.failures += 1
        if self.failures >= self.limit:
            self.since = now

    def succeeded(self):
        self.failures, self.since = 0, None


@mistake("12.3")
class CountsAllFailures(_Breaker):
    def succeeded(self):
        self.since = None


@mistake("12.3")
class CountsFromTheFirstFailure(_Breaker):
    def failed(self, now):
        self.failures += 1
        if self.failures >= self.limit and self.since is None:
            self.since = now


def _hash(content):
    return sha256(content).hexdigest()


def _once(stored, files, known):
    names = []
    seen = set(stored.values())
    for name, content in files.items():
        if not known(name, content, seen):
            names.append(name)
            seen.add(_hash(content))
    return names


mistakes(
    "12.4",
    overlooks_twins_of_one_run=lambda stored, files: (
        [name for name, content in files.items() if _hash(content) not in stored.values()]
    ),
    leaves_empty_files_out=lambda stored, files: _once(
        stored, files, lambda name, content, seen: not content or _hash(content) in seen
    ),
    gives_up_after_the_first_known_one=lambda stored, files: (
        [] if stored else _once(stored, files, lambda name, content, seen: _hash(content) in seen)
    ),
)


def _fallen_back(ways, errors, spoken):
    failed = []
    for name, way in ways:
        try:
            text = way()
        except errors:
            text = ""
        if spoken(text):
            return name, text, failed
        failed.append(name)
    return "", "", failed


mistakes(
    "12.5",
    takes_silence_for_an_answer=lambda ways: _fallen_back(
        ways, Exception, lambda text: (text is not None and text != "") or False
    ),
)


mistakes(
    "12.5",
    cannot_be_interrupted=lambda ways: _fallen_back(ways, BaseException, str.strip),
)
