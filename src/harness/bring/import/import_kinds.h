/* import_kinds.h - the kinds, each the last thing in its file. */
#ifndef TWBENCH_IMPORT_KINDS_H
#define TWBENCH_IMPORT_KINDS_H

#include "harness/bring/import/import.h"

extern const struct import_kind import_nginx, import_libuv, import_libevent, import_ktimer,
    import_khrtimer;

#endif
