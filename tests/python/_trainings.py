"""Every training with the parameters that the core declares for it."""

import dcsvm
from dcsvm import _core

TRAININGS = {
    dcsvm.train: _core.TrainParams,
    dcsvm.train_linear: _core.LinearParams,
    dcsvm.train_low_rank: _core.LowRankParams,
    dcsvm.train_dc_pred: _core.DcPredParams,
    dcsvm.train_dc_pred_ridge: _core.DcPredParams,
    dcsvm.train_ldkl: _core.LdklParams,
    dcsvm.train_ls_svm: _core.LsSvmParams,
    dcsvm.train_ridge: _core.RidgeParams,
}
