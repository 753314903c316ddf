/*
 * twtimers.h - libtwtimers: timer designs and runners, for programs that link them.
 *
 *     cc server.c $(pkg-config --cflags --libs twtimers)
 *
 * Most programs want twt.h: timers in your own objects, in a set that grows, over a design.  In C++ twtimers.hpp has it.
 *
 * A design keeps timers and never reads a clock: backend.h.  A runner owns the clock and the threads around a
 * design: runner.h.  This header finds both by name.  Their tables are constant; any thread may read them.
 *
 * The SONAME has the versions of the two contracts: a program never meets tables of another shape than it was compiled for.
 */
#ifndef TWTIMERS_H
#define TWTIMERS_H

#include "impls/backend.h"
#if __has_include("labs/live/runners/runner.h")
#include "labs/live/runners/runner.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TWTIMERS_API __attribute__((visibility("default")))

/* The version of twbench that the library was built from: "0.1.0". */
TWTIMERS_API const char *twtimers_version(void);

/* The design of that name ("hashed"), or NULL.  The name is an exact key. */
TWTIMERS_API const struct tw_backend *twtimers_design(const char *name);
/* The design at 0, 1, 2 ..., and NULL behind the last one. */
TWTIMERS_API const struct tw_backend *twtimers_design_at(size_t index);

#if __has_include("labs/live/runners/runner.h")
/* The same of runners ("per-thread").  Any design stands behind each. */
TWTIMERS_API const struct tw_runner *twtimers_runner(const char *name);
TWTIMERS_API const struct tw_runner *twtimers_runner_at(size_t index);
#endif

#ifdef __cplusplus
}
#endif

#endif
