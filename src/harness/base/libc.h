/*
 * libc.h - the headers of the C library that most files of the harness need, so that each begins with what is its own.
 *
 * What asks the system (unistd.h, sys/stat.h, ..) is included where it is used.
 */
#ifndef TWBENCH_LIBC_H
#define TWBENCH_LIBC_H

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
