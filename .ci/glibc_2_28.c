/* What the C++ library of a newer system asks of glibc, made of what glibc 2.28 has. Part of every file that .ci/wheel links, and of
 * libdcsvm.a, which others link. Weak: a program with a static, newer glibc uses that one's functions. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

int getentropy(void* bytes, size_t n);

#define HIDDEN __attribute__((weak, visibility("hidden")))

/* glibc 2.32. Not known to be single-threaded: reference counts are then always atomic. */
HIDDEN char __libc_single_threaded = 0;

/* glibc 2.36 */
HIDDEN uint32_t arc4random(void) {
  uint32_t bits;
  if (getentropy(&bits, sizeof bits) != 0) abort();
  return bits;
}

/* glibc 2.30. As libstdc++ does without it: the time that is left, added to the clock that a condition variable has by itself. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  struct timespec now, real;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0) return EINVAL;
  real.tv_sec += until->tv_sec - now.tv_sec;
  real.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_nsec += 1000000000;
    --real.tv_sec;
  } else if (real.tv_nsec >= 1000000000) {
    real.tv_nsec -= 1000000000;
    ++real.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &real);
}
