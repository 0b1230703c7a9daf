"""Clusters that the tests of dcsvm.dask share."""

import pytest

import dcsvm


@pytest.fixture(scope="session")
def cluster():
    """A cluster of two workers in this process."""
    pytest.importorskip("distributed", reason="dcsvm.dask needs the extra dask")
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def noisy():
    return dcsvm.datasets.make_checkerboard(3000, noise=0.1, random_state=4)
