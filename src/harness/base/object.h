/*
 * object.h - tells what is in an object file, and in the memory of this program.
 *
 * A shared object may have an entry point and the right to be executed, and its name may be anything.
 * So neither of these says whether a file may be run; the header does.
 */
#ifndef TWBENCH_OBJECT_H
#define TWBENCH_OBJECT_H

#include "harness/base/libc.h"

enum object_kind {
    OBJECT_NONE,    /* no regular file, or not ELF */
    OBJECT_PROGRAM, /* may be executed */
    OBJECT_SHARED,  /* may be loaded, never executed */
    OBJECT_OTHER /* ELF, but neither: cut short, an object file, a core dump, of another word size */
};

/* Reads the header and the dynamic section; nothing of the file is executed. */
enum object_kind object_kind(const char *path);

/* Is it an ELF file in which that name stands?  Nothing of it is executed; false when it cannot be read. */
bool object_has_symbol(const char *path, const char *symbol);

/* ---- Tells a string of this program from any other pointer (literal.c). ----------------------- */

/* Parent and child of a fork can hand each other a string literal by its address alone; one that has passed here may be
 * read, whatever has written it. */

/* The text, when it is one in the memory of the program that cannot be written, its end included; else NULL. */
const char *literal_check(const char *text);

#endif
