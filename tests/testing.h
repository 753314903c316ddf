/* testing.h - what every C test includes: the C library as far as tests need it, cmocka behind what that needs, and no
 * warning that a test leaves its state alone. */
#ifndef TWBENCH_TESTING_H
#define TWBENCH_TESTING_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* NAME.XXXXXX below TMPDIR, where tests/run.sh looks for what a suite leaves behind; for mkstemp and mkdtemp. */
static inline void temporary_name(char *path, size_t size, const char *name)
{
    const char *directory = getenv("TMPDIR");
    snprintf(path, size, "%s/%s.XXXXXX", directory ? directory : "/tmp", name);
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
