/* A program for LIBLINEAR's linear.h: trains with every solver, saves, loads and predicts, and prints what it saw. Compiled against
 * LIBLINEAR's header and against dcsvm's, and run on both libraries. Exits with 1 where the interface breaks a promise.
 *   solvers FOLDER */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include LINEAR_HEADER

enum { ROWS = 90, FEATURES = 4, TESTS = 30 };

static struct feature_node nodes[ROWS + TESTS][FEATURES + 2];
static struct feature_node *rows[ROWS + TESTS];
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
    double x[FEATURES];
    struct feature_node *node = nodes[i];
    rows[i] = node;
    for (int j = 0; j < FEATURES; ++j) {
      x[j] = next_random() + (j == c ? 0.8 : 0.0);
      if (j == 3 && i % 4 == 0) continue; /* an absent feature */
      node->index = j + 1;
      (node++)->value = x[j];
    }
    node->index = FEATURES + 1; /* the bias, or the end */
    (node++)->value = 1;
    node->index = -1;
    labels[i] = c == 0 ? 7 : c == 1 ? -2 : 3;
    targets[i] = x[0] + 0.5 * x[1] * x[1];
  }
}

static void set_bias(int on) {
  for (int i = 0; i < ROWS + TESTS; ++i) {
    struct feature_node *node = nodes[i];
    while (node->index != -1 && node->index <= FEATURES) ++node;
    node->index = on ? FEATURES + 1 : -1;
  }
}

static struct parameter parameters(int solver) {
  struct parameter p;
  memset(&p, 0, sizeof p);
  p.solver_type = solver;
  p.eps = 1e-8;
  p.C = 0.5;
  p.nu = 0.4;
  p.p = 0.1;
  p.regularize_bias = 1;
  return p;
}

static void check_model(const struct model *m, const struct parameter *p, int bias) {
  const int classifier = p->solver_type <= L2R_LR_DUAL;
  int own[3];
  need(m->param.solver_type == p->solver_type && m->param.C == p->C && m->param.weight == p->weight, "param is copied");
  need(get_nr_class(m) == (classifier ? 3 : 2) && get_nr_feature(m) == FEATURES, "sizes");
  need(m->bias == (bias ? 1 : -1) && classifier == (m->label != NULL), "bias and label");
  need(check_regression_model(m) == (p->solver_type >= L2R_L2LOSS_SVR && p->solver_type <= L2R_L1LOSS_SVR_DUAL), "regression");
  need(check_oneclass_model(m) == (p->solver_type == ONECLASS_SVM), "one-class");
  for (int k = 0; k < (classifier ? 3 : 1); ++k) {
    for (int j = 1; j <= FEATURES; ++j)
      need(get_decfun_coef(m, j, k) == m->w[(j - 1) * (classifier ? 3 : 1) + k], "get_decfun_coef");
    if (bias) need(get_decfun_bias(m, k) == m->w[FEATURES * (classifier ? 3 : 1) + k], "get_decfun_bias");
  }
  if (!classifier) return;
  get_labels(m, own);
  need(own[0] == 7 && own[1] == -2 && own[2] == 3, "labels in the order of appearance");
}

static void run(int solver, int bias, const char *folder) {
  const int regression = solver >= L2R_L2LOSS_SVR && solver <= L2R_L1LOSS_SVR_DUAL;
  struct problem prob = {ROWS, FEATURES + bias, regression ? targets : labels, rows, bias ? 1 : -1};
  struct parameter p = parameters(solver);
  struct model *m, *loaded;
  char path[1000];
  double dec[3], dec2[3], cv[ROWS];
  set_bias(bias);
  need(check_parameter(&prob, &p) == NULL, "parameters are accepted");
  printed = 0;
  m = train(&prob, &p);
  need(m != NULL && printed > 20, "a model and a report");
  check_model(m, &p, bias);
  snprintf(path, sizeof path, "%s/%d-%d.model", folder, solver, bias);
  need(save_model(path, m) == 0, "saved");
  loaded = load_model(path);
  need(loaded != NULL && loaded->param.solver_type == solver && loaded->param.weight == NULL, "loaded");
  const int n = solver <= L2R_LR_DUAL ? 3 : 1;
  for (int i = ROWS; i < ROWS + TESTS; ++i) {
    const double label = predict_values(m, rows[i], dec);
    need(predict(m, rows[i]) == label && predict_values(loaded, rows[i], dec2) == label, "all predictions agree");
    need(memcmp(dec, dec2, (size_t)n * sizeof *dec) == 0, "a loaded model has the same bits");
    printf("%d %d %d", solver, bias, i);
    for (int k = 0; k < n; ++k) printf(" %.10g", dec[k]);
    if (check_probability_model(m)) {
      need(predict_probability(m, rows[i], dec2) == label && fabs(dec2[0] + dec2[1] + dec2[2] - 1) < 1e-9, "probabilities");
      for (int k = 0; k < n; ++k) printf(" %.10g", dec2[k]);
    }
    printf("\n");
  }
  p.eps = 0.01;
  cross_validation(&prob, &p, 4, cv);
  for (int i = 0; i < ROWS; ++i) need(cv[i] == cv[i], "cross-validation predicts every row");
  free_and_destroy_model(&m);
  need(m == NULL, "the pointer is cleared");
  free_and_destroy_model(&loaded);
}

static void search(int solver) {
  struct problem prob = {ROWS, FEATURES, solver == L2R_L2LOSS_SVR ? targets : labels, rows, -1};
  struct parameter p = parameters(solver);
  double C = 0, epsilon = 0, score = -1;
  set_bias(0);
  p.eps = 0.01;
  find_parameters(&prob, &p, 3, -1, -1, &C, &epsilon, &score);
  need(C > 0 && score > 0 && (solver == L2R_L2LOSS_SVR ? epsilon >= 0 : epsilon == -1 && score <= 1), "find_parameters");
}

int main(int argc, char **argv) {
  static const int solvers[] = {L2R_LR,       L2R_L2LOSS_SVC_DUAL, L2R_L2LOSS_SVC,     L2R_L1LOSS_SVC_DUAL, MCSVM_CS,
                                L1R_L2LOSS_SVC, L1R_LR,            L2R_LR_DUAL,        L2R_L2LOSS_SVR,      L2R_L2LOSS_SVR_DUAL,
                                L2R_L1LOSS_SVR_DUAL, ONECLASS_SVM};
  need(argc >= 2, "usage: solvers FOLDER");
  need(sizeof(struct feature_node) == 16 && sizeof(struct problem) == 32, "layout");
  need(sizeof(struct parameter) == 80 && sizeof(struct model) == 120, "layout");
  need(LIBLINEAR_VERSION == 250 && liblinear_version == 250, "version");
  make_data();
  set_print_string_function(count_print);
  for (size_t s = 0; s < sizeof solvers / sizeof *solvers; ++s)
    for (int bias = 0; bias < 2; ++bias)
      if (solvers[s] != ONECLASS_SVM || !bias) run(solvers[s], bias, argv[1]);
  search(L2R_LR);
  search(L2R_L2LOSS_SVR);
  struct parameter p = parameters(L2R_LR);
  struct problem prob = {ROWS, FEATURES, labels, rows, -1};
  p.C = -1;
  need(strcmp(check_parameter(&prob, &p), "C <= 0") == 0, "check_parameter's words");
  need(load_model("/nonexistent/model") == NULL, "no such file");
  p.weight = malloc(8);
  p.weight_label = malloc(4);
  p.init_sol = malloc(8);
  destroy_param(&p);
  need(p.weight == NULL && p.weight_label == NULL && p.init_sol == NULL, "destroy_param");
  return 0;
}
