"""What the scripts share: arguments, standardised data, the ranking they write."""
import argparse
import time

import numpy as np
import torch


def arguments(**defaults):
    """--x and --y: csv files without header; --out: csv; the others with defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--x", required=True)
    parser.add_argument("--y")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--k", type=int, default=100)
    for name, value in defaults.items():
        parser.add_argument("--" + name, type=type(value), default=value)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    return given


def read_x(path):
    """Samples in rows; features with mean 0 and deviation 1, constant ones 0."""
    x = np.loadtxt(path, delimiter=",", ndmin=2)
    x = x - x.mean(0)
    deviation = x.std(0)
    x = x / np.where(deviation > 1e-12, deviation, 1.0)
    return torch.tensor(x, dtype=torch.float32)


def read_y(path):
    """Classes 0, 1, ..."""
    _, y = np.unique(np.loadtxt(path, delimiter=","), return_inverse=True)
    return torch.tensor(y)


def layers(*widths):
    """A network with ReLU between its linear layers."""
    made = []
    for into, out in zip(widths[:-1], widths[1:]):
        made += [torch.nn.Linear(into, out), torch.nn.ReLU()]
    return torch.nn.Sequential(*made[:-1])


def batches(n, size):
    """Endless minibatches of rows, every sample once per round."""
    while True:
        order = torch.randperm(n)
        for i in range(0, n, size):
            yield order[i:i + size]


def write(path, features, started):
    """Features (0-based, best first) as rank, feature (1-based), seconds."""
    seconds = time.process_time() - started
    with open(path, "w") as file:
        file.write("rank,feature,seconds\n")
        for rank, feature in enumerate(features, 1):
            file.write(f"{rank},{int(feature) + 1},{seconds:.1f}\n")
