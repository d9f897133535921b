"""The response cache. `cache` is the cache; every other module is a part of its guard or of what it keeps."""
