/* LIBSVM's C interface, served by dcsvm. Names, layouts and semantics are those of LIBSVM 3.37 (Chang, Lin: LIBSVM, a library for
 * support vector machines, ACM TIST 2(3), 2011), so that a program written for its svm.h compiles against this one and a program
 * compiled against that one runs with this library. What differs: training uses all cores (DCSVM_NUM_THREADS limits it), every
 * function may be called from several threads at once, and where LIBSVM would read or write out of bounds or end the process a
 * call fails: svm_train and svm_load_model return NULL, svm_save_model returns -1, predictions return NaN. The reason goes to
 * stderr; dcsvm/libsvm/svm_extra.h has functions that return it. */
#pragma once

#define LIBSVM_VERSION 337

#ifdef __cplusplus
extern "C" {
#endif

/* LIBSVM_VERSION of the library in use. */
extern int libsvm_version;

/* One feature of a row. A row is an array of nodes with ascending indices that ends with index -1; absent features are 0.
 * Precomputed kernel: the row is 0:serial 1:K(x,1) 2:K(x,2) ..., its serial number (from 1) first, then all kernel values. */
struct svm_node {
  int index;
  double value;
};

/* l rows x[i] with labels or targets y[i]. */
struct svm_problem {
  int l;
  double *y;
  struct svm_node **x;
};

enum { C_SVC, NU_SVC, ONE_CLASS, EPSILON_SVR, NU_SVR };     /* svm_type */
enum { LINEAR, POLY, RBF, SIGMOID, PRECOMPUTED };           /* kernel_type */

struct svm_parameter {
  int svm_type;
  int kernel_type;
  int degree;    /* poly */
  double gamma;  /* poly, rbf, sigmoid */
  double coef0;  /* poly, sigmoid */

  /* training only */
  double cache_size;  /* MB for kernel rows */
  double eps;         /* stop when the KKT violation is below */
  double C;           /* C_SVC, EPSILON_SVR, NU_SVR */
  int nr_weight;      /* C_SVC: C of class weight_label[i] is multiplied by weight[i] */
  int *weight_label;
  double *weight;
  double nu;        /* NU_SVC, ONE_CLASS, NU_SVR */
  double p;         /* EPSILON_SVR: half width of the tube without loss */
  int shrinking;    /* 0 or 1 */
  int probability;  /* 1: also fit what svm_predict_probability needs */
};

/* A decision is sum sv_coef K(x, SV) - rho, one for each pair of classes (0,1), (0,2), ..., (k-2,k-1), positive for the first of
 * the pair. Classes are in the order in which the data names them, except that labels +1 and -1 have +1 first. */
struct svm_model {
  struct svm_parameter param;
  int nr_class;                /* k; 2 for regression and one-class */
  int l;                       /* number of support vectors */
  struct svm_node **SV;        /* l rows. After svm_train they point into the problem's x, which must outlive the model */
  double **sv_coef;            /* k-1 rows of l: y alpha of a support vector of class i in its pair with class j is in row j-1 (j>i) or j (j<i) */
  double *rho;                 /* k(k-1)/2 */
  double *probA;               /* k(k-1)/2, or 1 for regression; NULL without probabilities */
  double *probB;               /* k(k-1)/2; NULL for regression and one-class */
  double *prob_density_marks;  /* one-class: 10 */
  int *sv_indices;             /* l rows of the training data, from 1; NULL after svm_load_model */

  /* classification only, else NULL */
  int *label;  /* k */
  int *nSV;    /* k: support vectors are grouped by class */

  int free_sv; /* 1: SV[0] is one block that belongs to the model (svm_load_model) */
};

/* The model must be freed with svm_free_and_destroy_model. It shares param's weight arrays. Check the parameters first. */
struct svm_model *svm_train(const struct svm_problem *prob, const struct svm_parameter *param);
/* target[i], i < l: the prediction for row i by a model trained without its fold. Classes are spread evenly over the folds. */
void svm_cross_validation(const struct svm_problem *prob, const struct svm_parameter *param, int nr_fold, double *target);

/* 0, or -1 when the file cannot be written. Feature values keep all their digits (LIBSVM writes 8). */
int svm_save_model(const char *model_file_name, const struct svm_model *model);
/* NULL when the file cannot be read or is damaged. */
struct svm_model *svm_load_model(const char *model_file_name);

int svm_get_svm_type(const struct svm_model *model);
int svm_get_nr_class(const struct svm_model *model);
void svm_get_labels(const struct svm_model *model, int *label);          /* label: nr_class; untouched unless classification */
void svm_get_sv_indices(const struct svm_model *model, int *sv_indices); /* sv_indices: l; untouched after svm_load_model */
int svm_get_nr_sv(const struct svm_model *model);
double svm_get_svr_probability(const struct svm_model *model); /* sigma of the Laplace distribution, or 0 */

/* Decision values (k(k-1)/2; 1 for regression and one-class) and the label or value. Ties of the vote go to the lower class. */
double svm_predict_values(const struct svm_model *model, const struct svm_node *x, double *dec_values);
double svm_predict(const struct svm_model *model, const struct svm_node *x);
/* Classification: k probabilities and the label of the largest; one-class: {normal, outlier}; else as svm_predict. */
double svm_predict_probability(const struct svm_model *model, const struct svm_node *x, double *prob_estimates);

void svm_free_model_content(struct svm_model *model_ptr);
void svm_free_and_destroy_model(struct svm_model **model_ptr_ptr);
void svm_destroy_param(struct svm_parameter *param); /* frees the weight arrays */

/* NULL, or what is wrong; a static text. */
const char *svm_check_parameter(const struct svm_problem *prob, const struct svm_parameter *param);
int svm_check_probability_model(const struct svm_model *model); /* 1 or 0 */

/* Where training reports go instead of stdout; NULL: stdout. May be called from the thread that trains at any time of the training. */
void svm_set_print_string_function(void (*print_func)(const char *));

#ifdef __cplusplus
}
#endif

