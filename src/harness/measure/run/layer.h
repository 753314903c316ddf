/* layer.h - what every layer over a design needs: hooks that hand everything through.
 *
 * A layer is itself a table and an instance, so whoever drives a design can drive a layered one.  Its
 * instance begins with struct layer; it takes the table that layer_table makes and puts its own hooks
 * in the place of those it wants to see.
 */
#ifndef TWBENCH_LAYER_H
#define TWBENCH_LAYER_H

#include "impls/backend.h"

struct layer {
    const struct tw_backend *design; /* below; must outlive the layer */
    struct tw_timers *inner;         /* open; owned by the layer, closed with it */
};

/* The table of a layer over `design` that does nothing but hand through.  `open` is NULL: a layer is
 * put over an open instance.  `close` closes the instance below and frees the layer. */
struct tw_backend layer_table(const struct tw_backend *design);

#endif
