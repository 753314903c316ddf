/* core_figures.c - the figures of the core; a lab's program has more. */
#include "harness/tell/result/figures.h"

const struct figures_part *const figures_parts[] = {&figures_of_cells, NULL};
