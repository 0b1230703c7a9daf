/* What dcsvm adds to LIBLINEAR's interface: reasons instead of NULL, interruption, matrices without feature_nodes, prediction of
 * many rows at once, the multinomial model and the elastic net. */
#pragma once

#include "dcsvm/c_call.h"
#include "dcsvm/liblinear/linear.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A further solver_type, for train, cross_validation and predictions: the softmax model of all classes, with one weight vector for
 * each. Its eps is a share of the objective (LinearSolver::multinomial in dcsvm/linear.hpp); init_sol and regularize_bias are allowed;
 * probabilities are the softmax of the decisions. A model of two classes is one of L2R_LR. Of more classes it is not saved:
 * LIBLINEAR's files have no name for it, and save_model fails. */
enum { DCSVM_MULTINOMIAL = 101 };

/* train; *model is NULL unless DCSVM_OK. */
int dcsvm_linear_train(const struct problem *prob, const struct parameter *param, struct model **model,
                       const struct dcsvm_call *call);
int dcsvm_linear_cross_validation(const struct problem *prob, const struct parameter *param, int nr_fold, double *target,
                                  const struct dcsvm_call *call);
int dcsvm_linear_find_parameters(const struct problem *prob, const struct parameter *param, int nr_fold, double start_C,
                                 double start_p, double *best_C, double *best_p, double *best_score, const struct dcsvm_call *call);

/* Labels or targets y of the rows of x. The bias, a feature behind the matrix's columns, is not part of the matrix. */
struct dcsvm_linear_data {
  struct dcsvm_matrix x;
  const double *y;
  double bias; /* < 0: none */
};
/* The same without feature_nodes: nothing is copied. */
int dcsvm_linear_train_matrix(const struct dcsvm_linear_data *data, const struct parameter *param, struct model **model,
                              const struct dcsvm_call *call);
/* The same with the penalty l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2, 0 <= l1_ratio <= 1, for L2R_LR, L2R_L2LOSS_SVC,
 * L2R_L2LOSS_SVR and DCSVM_MULTINOMIAL. In all functions, C infinite is no penalty for these four. */
int dcsvm_linear_train_elastic_net(const struct dcsvm_linear_data *data, const struct parameter *param, double l1_ratio,
                                   struct model **model, const struct dcsvm_call *call);
int dcsvm_linear_cross_validation_matrix(const struct dcsvm_linear_data *data, const struct parameter *param, int nr_fold,
                                         double *target, const struct dcsvm_call *call);
int dcsvm_linear_find_parameters_matrix(const struct dcsvm_linear_data *data, const struct parameter *param, int nr_fold,
                                        double start_C, double start_p, double *best_C, double *best_p, double *best_score,
                                        const struct dcsvm_call *call);

/* predict_values for rows x[0] .. x[l-1], on all cores: labels (l, or NULL) and values (l x weight vectors row-major, or NULL).
 * probability 1: predict_probability, values are l x nr_class; an error unless check_probability_model. */
int dcsvm_linear_predict(const struct model *model_, int l, const struct feature_node *const *x, int probability, double *labels,
                         double *values, const struct dcsvm_call *call);
/* The same for the rows of a matrix, whose columns beyond nr_feature are skipped. The model's bias is added. */
int dcsvm_linear_predict_matrix(const struct model *model_, const struct dcsvm_matrix *x, int probability, double *labels,
                                double *values, const struct dcsvm_call *call);

int dcsvm_linear_save_model(const char *model_file_name, const struct model *model_, const struct dcsvm_call *call);
int dcsvm_linear_load_model(const char *model_file_name, struct model **model, const struct dcsvm_call *call);
/* A print function that prints nothing. */
void dcsvm_linear_print_null(const char *text);

#ifdef __cplusplus
}
#endif
