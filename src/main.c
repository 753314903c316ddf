/* main.c - arguments in, exit status out; everything else is harness/command. */
#include "harness/command/command.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
