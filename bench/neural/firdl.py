"""Feature importance ranking for deep learning (Wojtas and Chen, NeurIPS 2020):
SUPERVISED, it sees the classes.

An operator network classifies masked samples; a selector network learns the operator's
loss from the mask alone, masks having s features. Both are trained in turn: first on
random masks; then half of the masks are random and half are the best mask of the moment
and neighbours of it. The best mask has the s features along which the selector falls most
steeply at the mask (1/2, ..., 1/2), improved by exchanges that the selector prefers. The
features of the last best mask are ranked by the selector's gradient there.
"""
import time

import torch

from common import arguments, batches, layers, read_x, read_y, write

given = arguments(first=1000, second=1500, batch=32, masks=16, exchanges=5, swapped=0.05,
                  held=0.3, rate=0.001)
started = time.process_time()
x, y = read_x(given.x), read_y(given.y)
n, d = x.shape
s = min(given.k, d // 2)
operator = layers(d, 60, 30, int(y.max()) + 1)
selector = layers(d, 100, 50, 1)
of_operator = torch.optim.Adam(operator.parameters(), lr=given.rate)
of_selector = torch.optim.Adam(selector.parameters(), lr=given.rate)
each_loss = torch.nn.CrossEntropyLoss(reduction="none")


def mask_of(features):
    return torch.zeros(d).index_fill_(0, features, 1.0)


def random_masks(count):
    return torch.stack([mask_of(torch.randperm(d)[:s]) for _ in range(count)])


def neighbours_of(mask, count):
    """Masks in which some features are exchanged for others."""
    swaps = max(1, int(given.swapped * s))
    inside, outside = mask.nonzero()[:, 0], (mask == 0).nonzero()[:, 0]
    found = mask.repeat(count, 1)
    for row in found:
        row[inside[torch.randperm(len(inside))[:swaps]]] = 0.0
        row[outside[torch.randperm(len(outside))[:swaps]]] = 1.0
    return found


def slope(mask):
    """Gradient of the selector: negative where a feature lowers the loss."""
    mask = mask.clone().requires_grad_(True)
    return torch.autograd.grad(selector(mask).sum(), mask)[0]


def best_mask():
    mask = mask_of(slope(torch.full((d,), 0.5)).argsort()[:s])
    with torch.no_grad():
        value = selector(mask).item()
    for _ in range(given.exchanges):
        gain = slope(mask)
        worst = gain.masked_fill(mask == 0, -float("inf")).argmax()
        better = gain.masked_fill(mask == 1, float("inf")).argmin()
        trial = mask.clone()
        trial[worst], trial[better] = 0.0, 1.0
        with torch.no_grad():
            now = selector(trial).item()
        if now >= value:
            break
        mask, value = trial, now
    return mask


def losses(masks, some):
    """The operator's mean loss on some samples under each mask."""
    masked = (masks[:, None, :] * x[some][None]).reshape(-1, d)
    loss = each_loss(operator(masked), y[some].repeat(len(masks)))
    return loss.reshape(len(masks), -1).mean(1)


def train(masks):
    """One step of each network, on a minibatch of its own under all masks."""
    loss = losses(masks, seen[next(seen_rows)])
    of_operator.zero_grad()
    loss.mean().backward()
    of_operator.step()
    with torch.no_grad():
        loss = losses(masks, held[next(held_rows)])
    guess = ((selector(masks)[:, 0] - loss) ** 2).mean()
    of_selector.zero_grad()
    guess.backward()
    of_selector.step()
    return loss


order = torch.randperm(n)
held, seen = order[:int(given.held * n)], order[int(given.held * n):]
seen_rows, held_rows = batches(len(seen), given.batch), batches(len(held), given.batch)
for step in range(given.first):
    train(random_masks(given.masks))
for step in range(given.second):
    if step % 10 == 0:
        best = best_mask()
    half = given.masks // 2
    near = torch.cat([best[None], neighbours_of(best, half - 1)])
    loss = train(torch.cat([near, random_masks(given.masks - half)]))

best = best_mask()
order = slope(best).masked_fill(best == 0, float("inf")).argsort()[:s]
rest = slope(best).masked_fill(best == 1, float("inf")).argsort()[:min(given.k, d) - s]
print(f"firdl: loss under the best mask {loss[0].item():.3f}, "
      f"under random masks {loss[half:].mean().item():.3f}")
write(given.out, order.tolist() + rest.tolist(), started)
