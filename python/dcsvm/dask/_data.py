"""What users pass to fit and predict on a cluster: collections of partitions."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from distributed import Client, Future, get_client

from .._distributed import setup
from .._distributed.engine import PartitionError, naming
from .._distributed.rows import checked_answers, checked_part, checked_weights
from .._input import validate
from .._input.labels import as_targets

_ANYTHING = ("object", "category")  # types of columns that may hold numbers or text


@dataclass(frozen=True)
class Blocks:
    """Partitions of one argument. n_rows: of each partition; None: not known before it is computed."""

    blocks: list[Any]
    n_rows: list[int] | None
    names: Any = None  #: of the columns of a DataFrame


def client_of(client: Client | None) -> Client:
    """The given client or the current one. ValueError when there is none, TypeError for an asynchronous one."""
    if client is None:
        try:
            client = get_client()
        except ValueError:
            raise ValueError(
                "no Dask client: start one first, or pass client=\n"
                "    from distributed import Client, LocalCluster\n"
                "    cluster = LocalCluster()      # this machine; or the address of a scheduler\n"
                "    client = Client(cluster)"
            ) from None
    if not isinstance(client, Client):
        raise TypeError(f"client must be a distributed.Client or None, got {type(client).__name__}")
    if client.status == "closed":
        raise ValueError("client is closed: pass one that is connected to a scheduler")
    if client.asynchronous:
        raise TypeError("client is asynchronous; fit needs a client that was made with asynchronous=False")
    return client


def is_frame(X: Any) -> bool:
    """Whether X is a Dask DataFrame or Series."""
    return hasattr(X, "npartitions") and hasattr(X, "map_partitions") and not hasattr(X, "chunks")


def is_array(X: Any) -> bool:
    return hasattr(X, "chunks") and hasattr(X, "to_delayed")


def is_lazy(X: Any) -> bool:
    """Whether X is a collection of partitions."""
    return is_array(X) or is_frame(X) or isinstance(X, (Delayed, Future)) or _is_parts(X)


def _is_parts(X: Any) -> bool:
    return isinstance(X, (list, tuple)) and bool(X) and all(isinstance(x, (Delayed, Future)) for x in X)


def blocks_of(name: str, X: Any, dimensions: int) -> Blocks:
    """The partitions of X. ValueError naming the argument and the call that helps."""
    if is_array(X):
        if X.ndim == 2 and dimensions == 1 and X.shape[1] == 1:
            X = X[:, 0]
        if X.ndim != dimensions:
            raise ValueError(f"{name} must have {dimensions} dimension{'s' * (dimensions > 1)}, got {X.ndim}")
        if dimensions == 2 and X.numblocks[1] != 1:
            raise ValueError(
                f"{name} has {X.numblocks[1]} blocks of columns; each partition must have all columns: "
                f"{name} = {name}.rechunk({{1: -1}})"
            )
        rows = X.chunks[0]
        known = None if any(math.isnan(r) for r in rows) else [int(r) for r in rows]
        return Blocks(list(X.to_delayed().ravel()), known)
    if is_frame(X):
        # Dask's tuning reads several small files, or one column of several files, as one partition: then X and y no longer match
        X = X.simplify()
        names = list(X.columns) if dimensions == 2 and hasattr(X, "columns") else None
        return Blocks(list(X.to_delayed(optimize_graph=False)), None, names)
    if isinstance(X, (Delayed, Future)):
        return Blocks([X], None)
    if _is_parts(X):
        return Blocks(list(X), None)
    raise TypeError(
        f"{name} must be a Dask Array, a Dask DataFrame, or a list of Delayed or Future partitions; got {type(X).__name__}. "
        f"An array in memory becomes one by dask.array.from_array({name}, chunks=(100_000, -1)); one that fits one machine "
        "needs no cluster: use the estimators of dcsvm"
    )


def parts_of(X: Any, y: Any, weight: Any, what: str) -> tuple[list[Delayed], Blocks]:
    """One Delayed of a rows.Part, or of the PartitionError that says what is wrong with it, for each partition of X. What Dask
    knows before it computes (types, shapes, what is in memory) is checked at once.

    what : "labels", "targets" or "nothing": what y is
    """
    rows = blocks_of("X", X, 2)
    example = _example(X)
    if example is not None:
        validate.as_data("X", example)
    targets = _like(rows, "y", y, what) if what != "nothing" else None
    weights = None if weight is None else _like(rows, "sample_weight", weight, "weights")
    token = uuid.uuid4().hex  # a name of its own: the same X may come with another y while its partitions are still kept
    parts = []
    for p, block in enumerate(rows.blocks):
        own = (block, None if targets is None else targets[p], None if weights is None else weights[p])
        parts.append(delayed(_part, pure=False)(p, *own, what, dask_key_name=f"dcsvm-part-{token}-{p}"))
    return parts, rows


def _example(values: Any) -> Any:
    """A few rows of the types that Dask knows the partitions to have; None where these do not say what is in them."""
    if is_array(values):
        known = values.dtype.kind != "O" and not any(math.isnan(n) or n == 0 for n in values.shape[1:])
        return np.ones((1, *map(int, values.shape[1:])), dtype=values.dtype) if known else None
    some = getattr(values, "_meta_nonempty", None) if is_frame(values) else None
    if some is None or some.ndim == 1:
        return None if some is None or str(some.dtype) in _ANYTHING else some.to_numpy()
    columns = [column for column, dtype in some.dtypes.items() if str(dtype) not in _ANYTHING]
    return some[columns] if columns else None


def _whole(values: Any, n: int, what: str) -> Any:
    """y or weights in memory, checked."""
    if what == "weights":
        weights = checked_weights(values, n)
        if not weights.any():
            raise ValueError("sample_weight: all weights are zero or negative, which counts as zero")
        return weights
    answers = checked_answers(values, n, what)
    if what == "labels":
        setup.check_classes(np.unique(answers))
    return answers


def _like(rows: Blocks, name: str, values: Any, what: str) -> list[Any]:
    """The partitions of y or weights, which must be those of X."""
    if values is None:
        raise ValueError(f"{name} is missing: it needs one entry for each row of X")
    n = len(rows.blocks)
    if not is_lazy(values):
        if rows.n_rows is None:
            raise ValueError(f"{name} is in memory, but the partitions' sizes of X are not known: pass {name} partitioned as X")
        return np.split(_whole(values, sum(rows.n_rows), what), np.cumsum(rows.n_rows)[:-1])
    own = blocks_of(name, values, 1)
    example = _example(values)
    if example is not None and what != "labels":
        (as_targets if what == "targets" else validate.as_vector)(name, np.ravel(example), np.size(example))
    if len(own.blocks) != n:
        raise ValueError(
            f"{name} has {len(own.blocks)} partitions, X has {n}; they must be alike: {name}.rechunk(X.chunks[0]) for arrays; "
            f"for data frames take X and {name} from one frame, or call {name}.repartition(divisions=X.divisions) if X knows them"
        )
    if rows.n_rows is not None and own.n_rows is not None and rows.n_rows != own.n_rows:
        at = next(p for p in range(n) if rows.n_rows[p] != own.n_rows[p])
        raise ValueError(
            f"partition {at} has {rows.n_rows[at]} rows of X and {own.n_rows[at]} entries of {name}: {name} = "
            f"{name}.rechunk(X.chunks[0])"
        )
    return own.blocks


def _part(number: int, X: Any, y: Any, weight: Any, what: str) -> Any:
    """What is wrong with a partition is a result, as in _engine._run."""
    try:
        with naming("load", number):
            return checked_part(X, y, weight, what)
    except PartitionError as error:
        return error


def lazily(call: Any, X: Any, dtype: Any, columns: Sequence[str] | None) -> Any:
    """call(model, block) for every partition of X, as a collection of the kind of X. Nothing is computed.

    call : (function, Delayed model): the model is one key of the graph
    columns : names of the result's columns; None: one number for each row
    """
    function, model = call
    if is_array(X):
        blocks_of("X", X, 2)
        if columns is None:
            return X.map_blocks(function, model=model, dtype=dtype, drop_axis=1, meta=np.empty(0, dtype=dtype))
        chunks = (X.chunks[0], (len(columns),))
        return X.map_blocks(function, model=model, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype=dtype))
    if is_frame(X):
        import pandas as pd

        index = X._meta.index[:0]
        if columns is None:
            meta: Any = pd.Series(np.empty(0, dtype=dtype), index=index, name="prediction")
        else:
            meta = pd.DataFrame(np.empty((0, len(columns)), dtype=dtype), index=index, columns=list(columns))
        return X.map_partitions(_framed, function, model, meta, meta=meta)
    if isinstance(X, (Delayed, Future)):
        return delayed(function)(X, model=model)
    return [delayed(function)(block, model=model) for block in blocks_of("X", X, 2).blocks]


def _framed(block: Any, function: Any, model: Any, meta: Any) -> Any:
    values = function(block, model=model)
    if values.ndim == 1:
        return type(meta)(values, index=block.index, name=meta.name)
    return type(meta)(values, index=block.index, columns=meta.columns)
