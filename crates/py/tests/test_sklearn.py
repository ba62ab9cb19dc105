"""scikit-learn with array API dispatch: estimators and metrics give on zerostride's arrays what they give on NumPy's."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn import metrics
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge, RidgeClassifierCV, RidgeCV
from sklearn.metrics import pairwise
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KernelCenterer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)

import zerostride as zs

RANDOM = np.random.default_rng(0)
X = (RANDOM.normal(size=(60, 5)) * 3 + 1).astype(np.float32)
GAPS = np.where(RANDOM.random(X.shape) < 0.1, np.nan, X).astype(np.float32)
Y = (X @ [1, -2, 0.5, 0, 3] + RANDOM.normal(size=60)).astype(np.float32)
GUESS = (Y + RANDOM.normal(size=60)).astype(np.float32)
TWO = (X[:, 0] + X[:, 1] > 2).astype(np.int64)
THREE = np.digitize(X[:, 0], [0, 2]).astype(np.int64)
TAKEN = np.where(RANDOM.random(60) < 0.8, TWO, 1 - TWO)
SCORES = RANDOM.random(60).astype(np.float32)
SHARES = RANDOM.dirichlet([1, 1, 1], 60).astype(np.float32)

TRANSFORMERS = [
    StandardScaler(),
    MinMaxScaler(),
    MaxAbsScaler(),
    Normalizer(),
    Binarizer(),
    PolynomialFeatures(),
    Nystroem(n_components=10, random_state=0),
    PCA(2, svd_solver="full"),
    PCA(2, svd_solver="covariance_eigh"),
    PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
]
PREDICTORS = [
    (Ridge(solver="svd"), Y),
    (RidgeCV(), Y),
    (PoissonRegressor(solver="lbfgs"), np.abs(Y)),
    (RidgeClassifierCV(), THREE),
    (LogisticRegression(), TWO),
    (LinearDiscriminantAnalysis(), THREE),
    (GaussianNB(), THREE),
    (GaussianMixture(2, init_params="random", random_state=0), None),
    (make_pipeline(StandardScaler(), PCA(3, svd_solver="full"), Ridge(solver="svd")), Y),
]
OF_CLASSES = [
    metrics.accuracy_score,
    metrics.balanced_accuracy_score,
    metrics.cohen_kappa_score,
    metrics.confusion_matrix,
    metrics.f1_score,
    metrics.hamming_loss,
    metrics.jaccard_score,
    metrics.matthews_corrcoef,
    metrics.multilabel_confusion_matrix,
    metrics.precision_score,
    metrics.recall_score,
    metrics.zero_one_loss,
]
OF_SCORES = [
    metrics.average_precision_score,
    metrics.brier_score_loss,
    metrics.det_curve,
    metrics.precision_recall_curve,
    metrics.roc_auc_score,
    metrics.roc_curve,
]
OF_NUMBERS = [
    metrics.d2_absolute_error_score,
    metrics.explained_variance_score,
    metrics.max_error,
    metrics.mean_absolute_error,
    metrics.mean_absolute_percentage_error,
    metrics.mean_pinball_loss,
    metrics.mean_squared_error,
    metrics.mean_tweedie_deviance,
    metrics.median_absolute_error,
    metrics.r2_score,
    metrics.root_mean_squared_error,
]
OF_ROWS = [
    pairwise.additive_chi2_kernel,
    pairwise.chi2_kernel,
    pairwise.cosine_distances,
    pairwise.cosine_similarity,
    pairwise.euclidean_distances,
    pairwise.laplacian_kernel,
    pairwise.linear_kernel,
    pairwise.manhattan_distances,
    pairwise.polynomial_kernel,
    pairwise.rbf_kernel,
    pairwise.sigmoid_kernel,
]


def compare(found, wanted, rtol, ours):
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            compare(one, other, rtol, ours)
        return
    # Single numbers are Python's.
    if ours and np.ndim(wanted):
        assert isinstance(found, zs.Array), type(found)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=rtol, atol=rtol)


def same(do, rtol=2e-5, ours=True):
    """What `do` computes of NumPy's arrays, made of ours."""
    with sklearn.config_context(array_api_dispatch=True), warnings.catch_warnings():
        # Of convergence, and of degrees of freedom.
        warnings.simplefilter("ignore")
        compare(do(zs.asarray), do(np.asarray), rtol, ours)


@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=repr)
def test_transformers(estimator):
    same(lambda made: sklearn.clone(estimator).fit(made(X)).transform(made(X)), 1e-4)


@pytest.mark.parametrize("estimator", [StandardScaler(), MinMaxScaler()], ids=repr)
def test_scalers_pass_over_nan_and_go_back(estimator):
    def back(made):
        fitted = sklearn.clone(estimator).fit(made(GAPS))
        return fitted.inverse_transform(fitted.transform(made(X))), fitted.transform(made(GAPS))

    same(back)


@pytest.mark.parametrize(("estimator", "y"), PREDICTORS, ids=lambda x: repr(x) if hasattr(x, "fit") else "")
def test_predictors(estimator, y):
    def predicted(made):
        fitted = sklearn.clone(estimator).fit(made(X), None if y is None else made(y))
        results = [fitted.predict(made(X))]
        if hasattr(fitted, "predict_proba"):
            results.append(fitted.predict_proba(made(X)))
        return tuple(results)

    same(predicted, 1e-3)


@pytest.mark.parametrize("metric", OF_CLASSES, ids=lambda f: f.__name__)
def test_metrics_of_classes(metric):
    same(lambda made: metric(made(TWO), made(TAKEN)))


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda f: f.__name__)
def test_metrics_of_scores(metric):
    same(lambda made: metric(made(TWO), made(SCORES)))


@pytest.mark.parametrize("metric", OF_NUMBERS, ids=lambda f: f.__name__)
def test_metrics_of_numbers(metric):
    same(lambda made: metric(made(Y), made(GUESS)))


@pytest.mark.parametrize("metric", OF_ROWS, ids=lambda f: f.__name__)
def test_metrics_of_rows(metric):
    same(lambda made: metric(made(np.abs(X))), 1e-4)


def test_labels_kernels_clusters_and_splits():
    same(lambda made: LabelEncoder().fit_transform(made(THREE)))
    same(lambda made: LabelBinarizer().fit_transform(made(THREE)))
    same(lambda made: KernelCenterer().fit_transform(made(X @ X.T)), 1e-4)
    same(lambda made: metrics.log_loss(made(THREE), made(SHARES)))
    same(lambda made: metrics.calinski_harabasz_score(made(X), made(THREE)), 1e-4)
    same(lambda made: metrics.davies_bouldin_score(made(X), made(THREE)), 1e-4)
    same(lambda made: tuple(train_test_split(made(X), made(TWO), random_state=0)))
    same(lambda made: cross_val_predict(Ridge(solver="svd"), made(X), made(Y), cv=3), 1e-3)


def test_what_scikit_learn_does_by_numpy_alone_is_refused_by_name():
    with sklearn.config_context(array_api_dispatch=True), pytest.raises(TypeError, match=r"numpy\.add\.at"):
        metrics.ndcg_score(zs.asarray(SHARES.round(1)), zs.asarray(SHARES))
