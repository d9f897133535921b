"""One question to several stages. `compare` is the page; every other module is one part of it."""
