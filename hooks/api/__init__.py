"""The REST API of hooks, samples, evaluations and test runs. Bodies in, one service call, the answer out."""
