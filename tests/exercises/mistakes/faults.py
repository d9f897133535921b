"""What goes wrong in notebook 12."""

from hashlib import sha256

from tests.exercises.mistakes import mistake, mistakes

mistakes("12.1", "LessonsError", "Answer", "OperationalError", 503)


@mistake("12.2")
def waits_after_the_last_attempt(action, wait, attempts, first, most):
    for number in range(attempts):
        try:
            return action()
        except TimeoutError as error:
            last = error
            wait(min(first * 2**number, most))
    raise last


def _retried(action, wait, pauses, error=TimeoutError):
    for seconds in pauses:
        try:
            return action()
        except error:
            wait(seconds)
    return action()


@mistake("12.2")
def knows_no_cap(action, wait, attempts, first, most):
    return _retried(action, wait, [first * 2**number for number in range(attempts - 1)])


@mistake("12.2")
def waits_longer_by_the_same(action, wait, attempts, first, most):
    return _retried(action, wait, [min(first * (number + 1), most) for number in range(attempts - 1)])


@mistake("12.2")
def retries_everything(action, wait, attempts, first, most):
    return _retried(action, wait, [min(first * 2**number, most) for number in range(attempts - 1)], Exception)


@mistake("12.2")
def swallows_the_error(action, wait, attempts, first, most):
    for number in range(attempts):
        try:
            return action()
        except TimeoutError:
            if number + 1 < attempts:
                wait(min(first * 2**number, most))
    return None


@mistake("12.2")
def tries_once_too_often(action, wait, attempts, first, most):
    return _retried(action, wait, [min(first * 2**number, most) for number in range(attempts)])


@mistake("12.2")
def never_gives_up(action, wait, attempts, first, most):
    while True:
        try:
            return action()
        except TimeoutError:
            wait(first)
            first = min(2 * first, most)


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
class AlwaysOpen(_Breaker):
    def allows(self, now):
        return True


@mistake("12.3")
class NeverMends(_Breaker):
    def allows(self, now):
        return self.since is None


@mistake("12.3")
class CountsAllFailures(_Breaker):
    def succeeded(self):
        self.since = None


@mistake("12.3")
class NeedsOneMore(_Breaker):
    def __init__(self, limit, pause):
        super().__init__(limit + 1, pause)


@mistake("12.3")
class StartsAfresh(_Breaker):
    def allows(self, now):
        if self.since is not None and now - self.since >= self.pause:
            self.failures, self.since = 0, None
        return self.since is None


@mistake("12.3")
class CountsFromTheFirstFailure(_Breaker):
    def failed(self, now):
        self.failures += 1
        if self.failures >= self.limit and self.since is None:
            self.since = now


@mistake("12.3")
class StaysNervous(_Breaker):
    def succeeded(self):
        self.since = None
        self.failures = max(0, self.failures - 1)


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


@mistake("12.4")
def every_file(stored, files):
    return list(files)


@mistake("12.4")
def by_name(stored, files):
    return [name for name in files if name not in stored]


@mistake("12.4")
def by_name_and_content(stored, files):
    return [name for name, content in files.items() if stored.get(name) != _hash(content)]


@mistake("12.4")
def overlooks_twins_of_one_run(stored, files):
    return [name for name, content in files.items() if _hash(content) not in stored.values()]


@mistake("12.4")
def leaves_empty_files_out(stored, files):
    return _once(stored, files, lambda name, content, seen: not content or _hash(content) in seen)


@mistake("12.4")
def with_a_hash_of_its_own(stored, files):
    return [name for name, content in files.items() if str(hash(content)) not in stored.values()]


@mistake("12.4")
def gives_up_after_the_first_known_one(stored, files):
    return [] if stored else _once(stored, files, lambda name, content, seen: _hash(content) in seen)


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


@mistake("12.5")
def gives_up_at_the_first_failure(ways):
    name, way = ways[0]
    return name, way(), []


@mistake("12.5")
def takes_silence_for_an_answer(ways):
    return _fallen_back(ways, Exception, lambda text: (text is not None and text != "") or False)


@mistake("12.5")
def takes_an_empty_answer(ways):
    failed = []
    for name, way in ways:
        try:
            return name, way(), failed
        except Exception:
            failed.append(name)
    return "", "", failed


@mistake("12.5")
def cannot_be_interrupted(ways):
    return _fallen_back(ways, BaseException, str.strip)


@mistake("12.5")
def names_no_failures(ways):
    name, text, _ = _fallen_back(ways, Exception, str.strip)
    return name, text, []


@mistake("12.5")
def asks_every_way(ways):
    said = []
    for name, way in ways:
        try:
            said.append((name, way()))
        except Exception:
            said.append((name, ""))
    failed = [name for name, text in said if not text.strip()]
    return next(((name, text, failed) for name, text in said if text.strip()), ("", "", failed))


@mistake("12.5")
def from_the_last_to_the_first(ways):
    return _fallen_back(ways[::-1], Exception, str.strip)
