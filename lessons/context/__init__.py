"""Active retrieval: what is asked again, how much is fetched, what fits, and whether the answer is enough."""
