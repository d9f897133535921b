"""What only large or distributed installations need: Ray, replicas, the HNSW index, benchmarks."""
