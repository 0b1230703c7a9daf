/* A stranger's C program: labels of the rows of a file of floats, by a DC-Pred++ model. */
#include <dcsvm/dc_pred.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  char why[200];
  dcsvm_predictor* model;
  dcsvm_predictor* other;
  float* x;
  FILE* file;
  size_t d;
  if (argc != 3) return 2;
  model = dcsvm_predictor_load(argv[1], why, sizeof why);
  if (model == NULL) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  other = dcsvm_predictor_clone(model);
  dcsvm_predictor_free(model); /* the clone keeps what both share */
  d = (size_t)dcsvm_predictor_features(other);
  x = malloc(d * sizeof *x);
  file = fopen(argv[2], "rb");
  while (file != NULL && x != NULL && fread(x, sizeof *x, d, file) == d) {
    float decision[8];
    dcsvm_predictor_decide(other, x, decision);
    printf("%.17g %.9g %d\n", dcsvm_predictor_predict(other, x), decision[0], (int)dcsvm_predictor_outputs(other));
  }
  if (file != NULL) fclose(file);
  free(x);
  dcsvm_predictor_free(other);
  dcsvm_predictor_free(NULL);
  return 0;
}
