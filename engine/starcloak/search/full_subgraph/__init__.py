"""Full-subgraph recoding: regions cut along hierarchies only."""
