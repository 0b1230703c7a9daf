/* LIBLINEAR's C interface, served by dcsvm. Names, layouts and semantics are those of LIBLINEAR 2.50 (Fan, Chang, Hsieh, Wang, Lin:
 * LIBLINEAR, a library for large linear classification, JMLR 9, 2008), so that a program written for its linear.h compiles against
 * this one and a program compiled against that one runs with this library. What differs: training uses all cores
 * (DCSVM_NUM_THREADS limits it) and gives the same model for any number of them, every function may be called from several threads
 * at once, and where LIBLINEAR would read or write out of bounds a call fails: train and load_model return NULL, save_model returns
 * -1, predictions return NaN. The reason goes to stderr; dcsvm/liblinear/linear_extra.h has functions that return it. */
#pragma once

#ifndef __cplusplus
#include <stdbool.h>
#endif

#define LIBLINEAR_VERSION 250

#ifdef __cplusplus
extern "C" {
#endif

/* LIBLINEAR_VERSION of the library in use. */
extern int liblinear_version;

/* One feature of a row. A row is an array of nodes with ascending indices from 1 that ends with index -1; absent features are 0. */
struct feature_node {
  int index;
  double value;
};

/* l rows x[i] with labels or targets y[i]. With bias >= 0 each row has a last node of index n and value bias, which n counts. */
struct problem {
  int l, n;
  double *y;
  struct feature_node **x;
  double bias; /* < 0: none */
};

/* solver_type. L2R, L1R: the regulariser is |w|^2 / 2 or |w|_1; LR: logistic loss; L1LOSS, L2LOSS: hinge or epsilon-insensitive loss,
 * plain or squared; DUAL: the tolerance is of the dual problem; MCSVM_CS: Crammer and Singer's problem for all classes at once. */
enum {
  L2R_LR,
  L2R_L2LOSS_SVC_DUAL,
  L2R_L2LOSS_SVC,
  L2R_L1LOSS_SVC_DUAL,
  MCSVM_CS,
  L1R_L2LOSS_SVC,
  L1R_LR,
  L2R_LR_DUAL,
  L2R_L2LOSS_SVR = 11,
  L2R_L2LOSS_SVR_DUAL,
  L2R_L1LOSS_SVR_DUAL,
  ONECLASS_SVM = 21
};

struct parameter {
  int solver_type;

  /* training only */
  double eps; /* tolerance of the stopping criterion */
  double C;
  int nr_weight; /* classification: C of class weight_label[i] is multiplied by weight[i] */
  int *weight_label;
  double *weight;
  double p;            /* regression: half width of the tube without loss */
  double nu;           /* one-class: share of the rows left outside, 0 < nu <= 1 */
  double *init_sol;    /* L2R_LR, L2R_L2LOSS_SVC, L2R_L2LOSS_SVR: where to start, in the layout of w; or NULL */
  int regularize_bias; /* 0: the bias's weight is left out of the regulariser; only with bias 1 and primal solvers */
  bool w_recalc;       /* L2R_L2LOSS_SVC_DUAL, L2R_L1LOSS_SVC_DUAL: w is recomputed at the end, so that unused features are 0 */
};

/* w is feature-major: the weights of a feature are neighbours, those of the bias come last. There is one weight vector for two
 * classes (label[0] is positive), regression and one-class, else one for each class; MCSVM_CS has one for each class always.
 * Classes are in the order in which the data names them, except that labels +1 and -1 have +1 first. */
struct model {
  struct parameter param;
  int nr_class;   /* 2 for regression and one-class */
  int nr_feature; /* without the bias */
  double *w;
  int *label; /* classification only, else NULL */
  double bias;
  double rho; /* one-class only */
};

/* The model owns w and label and shares param's arrays; free it with free_and_destroy_model. Check the parameters first. */
struct model *train(const struct problem *prob, const struct parameter *param);
/* target[i], i < l: the prediction for row i by a model trained without its fold. */
void cross_validation(const struct problem *prob, const struct parameter *param, int nr_fold, double *target);
/* Cross-validation over C = start_C, 2 start_C, 4 start_C, ... for L2R_LR and L2R_L2LOSS_SVC (score: accuracy, 0 to 1; best_p: -1), and
 * over p too for L2R_L2LOSS_SVR (score: mean squared error). start_C, start_p <= 0: found from the data. */
void find_parameters(const struct problem *prob, const struct parameter *param, int nr_fold, double start_C, double start_p,
                     double *best_C, double *best_p, double *best_score);

/* Decision values (one for each weight vector) and the label or value. Indices beyond those of w are skipped. */
double predict_values(const struct model *model_, const struct feature_node *x, double *dec_values);
double predict(const struct model *model_, const struct feature_node *x);
/* Logistic losses: a probability for each class and the label; other models: 0, and prob_estimates is left alone. */
double predict_probability(const struct model *model_, const struct feature_node *x, double *prob_estimates);

/* 0, or -1 when the file cannot be written. */
int save_model(const char *model_file_name, const struct model *model_);
/* NULL when the file cannot be read or is damaged. */
struct model *load_model(const char *model_file_name);

int get_nr_feature(const struct model *model_);
int get_nr_class(const struct model *model_);
void get_labels(const struct model *model_, int *label); /* label: nr_class; untouched unless classification */
/* Weight of feature feat_idx (from 1) for class label_idx (from 0; ignored for regression and one-class); 0 out of range. */
double get_decfun_coef(const struct model *model_, int feat_idx, int label_idx);
double get_decfun_bias(const struct model *model_, int label_idx); /* bias times its weight; 0 for bias <= 0; not for one-class */
double get_decfun_rho(const struct model *model_);                 /* one-class only */

void free_model_content(struct model *model_ptr);
void free_and_destroy_model(struct model **model_ptr_ptr);
void destroy_param(struct parameter *param); /* frees the three arrays with free() */

/* NULL, or what is wrong; a static text. */
const char *check_parameter(const struct problem *prob, const struct parameter *param);
int check_probability_model(const struct model *model_); /* 1 or 0 */
int check_regression_model(const struct model *model_);
int check_oneclass_model(const struct model *model_);

/* Where training reports go instead of stdout; NULL: stdout. Called from the thread that trains. */
void set_print_string_function(void (*print_func)(const char *));

#ifdef __cplusplus
}
#endif
