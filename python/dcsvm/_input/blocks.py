"""Arguments of trainings on files that may be larger than memory."""

from __future__ import annotations

from typing import Any

from . import validate


def cache_folder(cache_dir: Any) -> Any:
    """None stays None."""
    return None if cache_dir is None else validate.path("cache_dir", cache_dir)


def block_arguments(
    memory_mb: Any, cache_dir: Any, keep_cache: Any, n_features: Any, zero_based: Any
) -> tuple[Any, float, bool, int, bool]:
    """As the core takes them: cache, memory_mb, keep_cache, n_features, zero_based."""
    columns = 0 if n_features is None else validate.integer("n_features", n_features, low=1, high=2**31 - 1)
    memory = validate.real("memory_mb", memory_mb, above=0)
    keep, zero = validate.boolean("keep_cache", keep_cache), validate.boolean("zero_based", zero_based)
    return cache_folder(cache_dir), memory, keep, columns, zero
