/* A program for LIBSVM's svm.h: trains every formulation and kernel, saves, loads and predicts, and prints what it saw. Compiled
 * against LIBSVM's header and against dcsvm's, and run on both libraries. Exits with 1 where the interface breaks a promise.
 *   formulations FOLDER [SKIP_PROBABILITIES] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include SVM_HEADER

enum { ROWS = 90, FEATURES = 4, TESTS = 30 };

static struct svm_node nodes[ROWS + TESTS][FEATURES + 1], kernel_nodes[ROWS + TESTS][ROWS + 2];
static struct svm_node *rows[ROWS + TESTS], *kernel_rows[ROWS + TESTS];
static double labels[ROWS + TESTS], targets[ROWS + TESTS];
static int printed;

static void count_print(const char *text) { printed += (int)strlen(text); }

static void need(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "broken: %s\n", what);
  exit(1);
}

static double next_random(void) { /* the same numbers everywhere */
  static unsigned long long state = 12345;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 33) / 2147483648.0 - 1.0;
}

static void make_data(void) {
  for (int i = 0; i < ROWS + TESTS; ++i) {
    const int c = i % 3;
    struct svm_node *node = nodes[i];
    rows[i] = node;
    for (int j = 0; j < FEATURES; ++j) {
      const double v = next_random() + (j == c ? 0.8 : 0.0);
      if (j == 3 && i % 4 == 0) continue; /* an absent feature */
      node->index = j + 1;
      node->value = v;
      ++node;
    }
    node->index = -1;
    labels[i] = c == 0 ? 7 : c == 1 ? -2 : 3;
    targets[i] = nodes[i][0].value + 0.5 * nodes[i][1].value * nodes[i][1].value;
  }
  for (int i = 0; i < ROWS + TESTS; ++i) {
    struct svm_node *node = kernel_nodes[i];
    kernel_rows[i] = node;
    node->index = 0;
    (node++)->value = i < ROWS ? i + 1 : 0;
    for (int j = 0; j < ROWS; ++j, ++node) {
      double dot = 0;
      for (int a = 0; nodes[i][a].index != -1; ++a)
        for (int b = 0; nodes[j][b].index != -1; ++b)
          if (nodes[i][a].index == nodes[j][b].index) dot += nodes[i][a].value * nodes[j][b].value;
      node->index = j + 1;
      node->value = dot;
    }
    node->index = -1;
  }
}

static struct svm_parameter parameters(int svm_type, int kernel_type) {
  struct svm_parameter p;
  memset(&p, 0, sizeof p);
  p.svm_type = svm_type;
  p.kernel_type = kernel_type;
  p.degree = 2;
  p.gamma = 0.5;
  p.coef0 = 1;
  p.cache_size = 10;
  p.eps = 1e-6;
  p.C = 2;
  p.nu = 0.4;
  p.p = 0.1;
  p.shrinking = 1;
  return p;
}

static void check_model(const struct svm_model *m, const struct svm_problem *prob, const struct svm_parameter *p) {
  const int classifier = p->svm_type == C_SVC || p->svm_type == NU_SVC;
  int own[3], indices[ROWS], sum = 0;
  need(svm_get_svm_type(m) == p->svm_type && m->param.C == p->C && m->param.gamma == p->gamma, "param is copied");
  need(svm_get_nr_class(m) == (classifier ? 3 : 2), "nr_class");
  need(m->free_sv == 0 && m->sv_indices != NULL, "free_sv and sv_indices after svm_train");
  need(classifier == (m->label != NULL) && classifier == (m->nSV != NULL), "label and nSV");
  need(m->probA == NULL && m->probB == NULL && !svm_check_probability_model(m), "no probabilities");
  svm_get_sv_indices(m, indices);
  for (int i = 0; i < m->l; ++i) need(m->SV[i] == prob->x[indices[i] - 1], "SV points into x");
  if (!classifier) return;
  svm_get_labels(m, own);
  need(own[0] == 7 && own[1] == -2 && own[2] == 3, "labels in the order of appearance");
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < m->nSV[c]; ++i) need(prob->y[indices[sum++] - 1] == m->label[c], "SVs are grouped by class");
  need(sum == m->l && m->l == svm_get_nr_sv(m), "nSV adds up");
}

static void run(int svm_type, int kernel_type, const char *folder) {
  const int regression = svm_type == EPSILON_SVR || svm_type == NU_SVR;
  struct svm_node **x = kernel_type == PRECOMPUTED ? kernel_rows : rows;
  struct svm_problem prob = {ROWS, regression ? targets : labels, x};
  struct svm_parameter p = parameters(svm_type, kernel_type);
  struct svm_model *m, *loaded;
  char path[1000];
  double dec[3], dec2[3], cv[ROWS];
  need(svm_check_parameter(&prob, &p) == NULL, "parameters are accepted");
  printed = 0;
  m = svm_train(&prob, &p);
  need(m != NULL && printed > 20, "a model and a report");
  check_model(m, &prob, &p);
  snprintf(path, sizeof path, "%s/%d-%d.model", folder, svm_type, kernel_type);
  need(svm_save_model(path, m) == 0, "saved");
  loaded = svm_load_model(path);
  need(loaded != NULL && loaded->free_sv == 1 && loaded->sv_indices == NULL && loaded->l == m->l, "loaded");
  const int n = svm_type == C_SVC || svm_type == NU_SVC ? 3 : 1;
  for (int i = ROWS; i < ROWS + TESTS; ++i) {
    const double label = svm_predict_values(m, x[i], dec);
    /* not to the last bit: LIBSVM sums on several threads */
    need(fabs(svm_predict(m, x[i]) - label) < 1e-9, "svm_predict is svm_predict_values");
    need(fabs(svm_predict_probability(m, x[i], dec2) - label) < 1e-9, "svm_predict_probability without probabilities is svm_predict");
    svm_predict_values(loaded, x[i], dec2);
    printf("%d %d %d", svm_type, kernel_type, i);
    for (int k = 0; k < n; ++k) {
      need(fabs(dec[k] - dec2[k]) < 1e-5 * (1 + fabs(dec[k])), "a loaded model predicts the same");
      printf(" %.10g", dec[k]);
    }
    printf("\n");
  }
  svm_cross_validation(&prob, &p, 4, cv);
  for (int i = 0; i < ROWS; ++i) need(cv[i] == cv[i], "cross-validation predicts every row");
  svm_free_and_destroy_model(&m);
  need(m == NULL, "the pointer is cleared");
  svm_free_and_destroy_model(&loaded);
}

static void probabilities(void) {
  for (int type = C_SVC; type <= NU_SVR; ++type) {
    const int regression = type == EPSILON_SVR || type == NU_SVR;
    struct svm_problem prob = {ROWS, regression ? targets : labels, rows};
    struct svm_parameter p = parameters(type, RBF);
    p.probability = 1;
    struct svm_model *m = svm_train(&prob, &p);
    double estimates[3] = {0, 0, 0};
    const int k = regression ? 0 : svm_get_nr_class(m);
    need(svm_check_probability_model(m), "probabilities");
    if (regression) need(svm_get_svr_probability(m) > 0, "sigma");
    svm_predict_probability(m, rows[ROWS], estimates);
    double sum = 0;
    for (int c = 0; c < k; ++c) sum += estimates[c];
    need(regression || fabs(sum - 1) < 1e-6, "probabilities add up to 1");
    svm_free_and_destroy_model(&m);
  }
}

int main(int argc, char **argv) {
  need(argc >= 2, "usage: formulations FOLDER");
  need(sizeof(struct svm_node) == 16 && sizeof(struct svm_problem) == 24, "layout");
  need(sizeof(struct svm_parameter) == 104 && sizeof(struct svm_model) == 192, "layout");
  need(LIBSVM_VERSION == 337 && libsvm_version == 337, "version");
  make_data();
  svm_set_print_string_function(count_print);
  for (int type = C_SVC; type <= NU_SVR; ++type)
    for (int kernel = LINEAR; kernel <= PRECOMPUTED; ++kernel)
      if (kernel != SIGMOID) run(type, kernel, argv[1]);
  probabilities();
  struct svm_parameter p = parameters(C_SVC, RBF);
  struct svm_problem prob = {ROWS, labels, rows};
  p.C = -1;
  need(strcmp(svm_check_parameter(&prob, &p), "C <= 0") == 0, "svm_check_parameter's words");
  need(svm_load_model("/nonexistent/model") == NULL, "no such file");
  p.weight = malloc(8);
  p.weight_label = malloc(4);
  svm_destroy_param(&p);
  return 0;
}
