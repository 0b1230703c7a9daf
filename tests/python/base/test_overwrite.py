"""What the command reads it never overwrites, and prediction never answers with NaN."""

import pytest

import dcsvm
from dcsvm._command.cli import main


@pytest.fixture
def files(tmp_path):
    x, y = dcsvm.datasets.make_checkerboard(200)
    data, model = tmp_path / "data.txt", tmp_path / "m.model"
    dcsvm.save_svmlight(data, x, y)
    dcsvm.train(x, y, gamma=4).save(model)
    return data, model


@pytest.mark.parametrize("what", ["train", "predict data", "predict model", "link"])
def test_inputs_survive(files, what, capsys):
    data, model = files
    before = data.read_bytes(), model.read_bytes()
    link = data.with_name("link")
    link.symlink_to(data)
    arguments = {
        "train": ["train", data, data],
        "predict data": ["predict", data, model, data],
        "predict model": ["predict", data, model, model],
        "link": ["train", data, link],
    }[what]
    assert main([str(a) for a in arguments]) == 1
    assert "would overwrite" in capsys.readouterr().err
    assert (data.read_bytes(), model.read_bytes()) == before


@pytest.mark.parametrize("params", [{"kernel": "linear"}, {"gamma": 1.0}])
def test_overflow_in_prediction_names_the_row(params):
    x, y = dcsvm.datasets.make_twonorm(100)
    m = dcsvm.train(x, y, **params)
    x[7] = 1e300
    with pytest.raises(ValueError, match="row 7"):
        m.predict(x)
