/* penalties.h - measures what a miss costs: it differs by a factor of five between machines, and no file tells it. */
#ifndef TWBENCH_PENALTIES_H
#define TWBENCH_PENALTIES_H

struct penalties {
    double cache_miss_ns;  /* a load from memory, over one from the nearest cache; NAN: unknown */
    double branch_miss_ns; /* a mispredicted branch, over a predicted one; NAN: unknown */
};

/* Takes 50 to 100 ms, and for that time up to 256 MiB.  The cost of a miss is that of one whose
 * address depends on the load before it, with ordinary pages: the most that a miss can cost.
 * Where the last-level cache is larger than 110 MiB, that memory does not suffice to get all of
 * it out of there, and the cost comes out too low. */
void penalties_measure(struct penalties *out);

/* The branch alone; takes 10 ms. */
double penalties_branch_miss_ns(void);

#endif
