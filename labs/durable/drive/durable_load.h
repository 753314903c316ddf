/* durable_load.h - the messages of a durable load, each from the seed and its number alone.  Pure functions. */
#ifndef TWBENCH_DURABLE_LOAD_H
#define TWBENCH_DURABLE_LOAD_H

#include "labs/durable/drive/durable_data.h"

/* The message of that number, 0 .. tasks - 1.  Its key is the number + 1.  O(1). */
struct durable_message durable_load_message(const struct durable_load *load, uint64_t number);

/* Its payload, message.size bytes. */
void durable_load_payload(const struct durable_load *load, uint64_t number, uint32_t size,
                          unsigned char *out);
/* Is that its payload?  O(size). */
bool durable_load_is_payload(const struct durable_load *load, uint64_t number, const void *payload,
                             uint32_t size);

#endif
