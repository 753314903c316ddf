/* main.c - arguments in, exit status out; everything else is harness/cli. */
#include "harness/cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
