/* plugin.c - a runner of the program as a shared object: RUNNER is its name in C, SOURCE its file. */
#define TW_PROVED
#include SOURCE

#define TABLE(x) TW_RUNNER(x)
TW_RUNNER_PLUGIN(TABLE(RUNNER), TABLE(RUNNER));
