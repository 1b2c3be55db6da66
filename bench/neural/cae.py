"""Concrete autoencoder (Abid, Balin and Zou, ICML 2019): unsupervised.

k selectors, each a convex combination of the features with weights
softmax((logits + Gumbel noise) / T); a decoder with one hidden layer reconstructs
all features from the k combinations. The temperature T falls geometrically, so that
the combinations become single features. One run at k; selectors are ordered by their
largest probability, repetitions are left out, and the places they leave are filled
by the features of largest probability in any selector.
"""
import time

import torch

from common import arguments, batches, layers, read_x, write

given = arguments(steps=3000, batch=256, hidden=1.5, hot=10.0, cold=0.01, rate=0.01)
started = time.process_time()
x = read_x(given.x)
n, d = x.shape
k = min(given.k, d)

logits = torch.nn.Parameter(torch.nn.init.xavier_normal_(torch.empty(k, d)))
decoder = layers(k, int(given.hidden * k), d)
optimiser = torch.optim.Adam([
    {"params": [logits], "lr": given.rate}, {"params": decoder.parameters(), "lr": 0.001}
])
rows = batches(n, given.batch)
for step in range(given.steps):
    temperature = given.hot * (given.cold / given.hot) ** (step / given.steps)
    gumbel = -torch.log(-torch.log(torch.rand(k, d).clamp(1e-20, 1 - 1e-7)))
    weights = torch.softmax((logits + gumbel) / temperature, 1)
    some = x[next(rows)]
    loss = ((decoder(some @ weights.T) - some) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

with torch.no_grad():
    probability = torch.softmax(logits, 1)
    confidence, feature = probability.max(1)
    chosen = list(dict.fromkeys(feature[confidence.argsort(descending=True)].tolist()))
    print(f"cae: loss {loss.item():.3f}, mean largest probability "
          f"{confidence.mean().item():.3f}, {len(chosen)} distinct of {k}")
    others = probability.max(0).values.argsort(descending=True).tolist()
    chosen = list(dict.fromkeys(chosen + others))[:k]
write(given.out, chosen, started)
