"""Jose, Goyal, Aggrwal, Varma: Local Deep Kernel Learning for Efficient Non-linear SVM Prediction, ICML 2013.

A complete binary tree; node k has w_k, v_k and theta_k. A row walks from the root to a leaf, to the right child where
theta_k'x > 0, and its decision is the sum of (w_k'x) tanh(sigma v_k'x) over the nodes on its path: about 3 products a level.
All parameters are learned together by stochastic subgradients on

    lambda_w/2 |W|^2 + lambda_v/2 |V|^2 + lambda_theta/2 |Theta|^2 + mean of max(0, 1 - y f(x)),

where the choice of a child is smooth in training: a node counts for a row with the product of (1 +- tanh(s theta_k'x)) / 2 over
the nodes above it, and s grows until that product is 0 or 1. Not the paper's: small batches, Adam's step lengths, and s from 1 to
100 in equal ratios.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide


def levels(depth: int) -> list[tuple[slice, slice, float]]:
    """From the root down: the nodes of a level, their children on one side, and the sign of that side."""
    return [
        (slice(2**level - 1, 2 ** (level + 1) - 1), slice(2 ** (level + 1) - 1 + side, 2 ** (level + 2) - 1, 2), 2.0 * side - 1)
        for level in range(depth)
        for side in (0, 1)
    ]


def gradient(x: Array, y: Array, w: Array, v: Array, theta: Array, sigma: float, s: float) -> tuple[float, list[Array]]:
    """The mean hinge loss of the smooth tree, and its subgradient by w, v (nodes x d) and theta (inner nodes x d)."""
    depth = int(np.log2(len(w) + 1)) - 1
    gates = np.tanh(s * x @ theta.T)
    weight = np.ones((len(x), len(w)))  # how much a node counts for a row
    for parents, children, sign in levels(depth):
        weight[:, children] = weight[:, parents] * (1 + sign * gates[:, parents]) / 2
    linear, local = x @ w.T, np.tanh(sigma * x @ v.T)
    slack = 1 - y * (weight * linear * local).sum(axis=1)
    pull = np.where(slack > 0, -y, 0.0)[:, None] / len(y)  # of the loss by the decision
    by_w = (pull * weight * local).T @ x
    by_v = (pull * weight * linear * sigma * (1 - local**2)).T @ x
    by_weight = pull * linear * local
    by_gate = np.zeros_like(gates)
    for parents, children, sign in reversed(levels(depth)):  # a node's weight also acts through its children
        by_gate[:, parents] += by_weight[:, children] * weight[:, parents] * sign / 2
        by_weight[:, parents] += by_weight[:, children] * (1 + sign * gates[:, parents]) / 2
    by_theta = (by_gate * s * (1 - gates**2)).T @ x
    return float(np.maximum(slack, 0).mean()), [by_w, by_v, by_theta]


def decisions(x: Array, w: Array, v: Array, theta: Array, sigma: float) -> Array:
    """By the nodes on each row's path alone."""
    node, total = np.zeros(len(x), int), np.zeros(len(x))
    while True:
        total += (x * w[node]).sum(axis=1) * np.tanh(sigma * (x * v[node]).sum(axis=1))
        if node[0] >= len(theta):  # all rows are on the same level
            return total
        node = 2 * node + 1 + ((x * theta[node]).sum(axis=1) > 0)


def train(
    x: Array,
    y: Array,
    C: float = 1.0,
    gamma: float = 0.0,
    depth: int = 5,
    sigma: float = 1.0,
    lambda_w: float = 1e-5,
    lambda_v: float = 1e-5,
    lambda_theta: float = 1e-5,
    epochs: int = 30,
    batch: int = 128,
    rate: float = 0.01,
    seed: int = 0,
) -> Decide:
    """depth: levels below the root. C and gamma are not used. Features are standardised, and a constant one is added."""
    rng = np.random.default_rng(seed)
    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1.0

    def with_constant(rows: Array) -> Array:
        return np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))])

    x = with_constant(x)
    nodes, inner, d = 2 ** (depth + 1) - 1, 2**depth - 1, x.shape[1]
    parameters = [rng.normal(0, 1 / np.sqrt(d), (k, d)) for k in (nodes, nodes, inner)]
    penalties = (lambda_w, lambda_v, lambda_theta)
    first, second = [[np.zeros_like(p) for p in parameters] for _ in range(2)]
    batches = int(np.ceil(len(x) / batch))
    for t in range(epochs * batches):
        if t % batches == 0:
            order = rng.permutation(len(x))
        rows = order[t % batches :: batches]
        done = t / (epochs * batches)
        _, slopes = gradient(x[rows], y[rows], *parameters, sigma, 100**done)
        for p, g, m, q, penalty in zip(parameters, slopes, first, second, penalties, strict=True):
            g += penalty * p
            m += 0.1 * (g - m)
            q += 1e-3 * (g * g - q)
            p -= rate * (1 - done) * m / (1 - 0.9 ** (t + 1)) / (np.sqrt(q / (1 - 0.999 ** (t + 1))) + 1e-12)
    return lambda rows: decisions(with_constant(rows), *parameters, sigma)
