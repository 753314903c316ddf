/* clock_figures.h - the part of the catalogue of figures that a runner adds. */
#ifndef TWBENCH_CLOCK_FIGURES_H
#define TWBENCH_CLOCK_FIGURES_H

#include "harness/tell/result/figures.h"

extern const struct figures_part figures_of_runners;

#endif
