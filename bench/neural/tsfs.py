"""Teacher-student feature selection (Mirzaei, Pourahmadi, Soltani and Sheikhzadeh,
2020): unsupervised.

The teacher is an embedding of the samples in few dimensions, here t-SNE (van der
Maaten and Hinton, 2008) on the first principal components. The student, a network
with one hidden layer, learns the embedding from all features; the rows of its first
weights, one per feature, are penalised by their norms (l2,1) and rank the features.
"""
import math
import time

import torch

from common import arguments, batches, layers, read_x, write


def affinities(x, perplexity):
    """Symmetric t-SNE probabilities; a bisection per sample finds its bandwidth."""
    n = len(x)
    distance = torch.cdist(x.double(), x.double()) ** 2
    distance = distance / distance.mean()
    distance.fill_diagonal_(math.inf)
    low, high = torch.full((n, 1), -20.0).double(), torch.full((n, 1), 20.0).double()
    for _ in range(60):
        middle = (low + high) / 2
        p = torch.softmax(-torch.exp(middle) * distance, 1)
        entropy = -(p * torch.log(p.clamp(min=1e-300))).sum(1, keepdim=True)
        narrow = entropy < math.log(perplexity)
        low, high = torch.where(narrow, low, middle), torch.where(narrow, middle, high)
    return ((p + p.T) / (2 * n)).clamp(min=1e-12).float()


def tsne(x, steps, perplexity):
    """Gradient descent with momentum and early exaggeration, gradient in closed form."""
    n = len(x)
    p = affinities(x, min(perplexity, (n - 1) / 3))
    z, velocity = 1e-4 * torch.randn(n, 2), torch.zeros(n, 2)
    rate = max(n / 12, 50.0)
    for step in range(steps):
        kernel = 1 / (1 + torch.cdist(z, z) ** 2)
        kernel.fill_diagonal_(0)
        force = ((12 if step < 100 else 1) * p - kernel / kernel.sum()) * kernel
        gradient = 4 * (force.sum(1, keepdim=True) * z - force @ z)
        velocity = (0.5 if step < 100 else 0.8) * velocity - rate * gradient
        z = z + velocity
        z = z - z.mean(0)
    return z / z.std(0)


given = arguments(steps=3000, batch=256, hidden=64, teacher=500, perplexity=30.0,
                  penalty=0.001, rate=0.001)
started = time.process_time()
x = read_x(given.x)
n, d = x.shape
left, values, _ = torch.linalg.svd(x, full_matrices=False)
components = min(50, n - 1)
embedding = tsne(left[:, :components] * values[:components], given.teacher, given.perplexity)

student = layers(d, given.hidden, embedding.shape[1])
weights = student[0].weight  # hidden x d: column j belongs to feature j
optimiser = torch.optim.Adam(student.parameters(), lr=given.rate)
rows = batches(n, given.batch)
for step in range(given.steps):
    some = next(rows)
    error = ((student(x[some]) - embedding[some]) ** 2).mean()
    loss = error + given.penalty * torch.sqrt((weights ** 2).sum(0) + 1e-12).sum()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

score = weights.detach().norm(dim=0)
print(f"tsfs: error of the student {error.item():.3f}, "
      f"{int((score > 0.01 * score.max()).sum())} features above 1 % of the largest norm")
write(given.out, score.argsort(descending=True)[:given.k].tolist(), started)
