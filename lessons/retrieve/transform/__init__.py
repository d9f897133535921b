"""Query transformers (rows A7 and B5), a module each; `checks` looks at what a model wrote."""
