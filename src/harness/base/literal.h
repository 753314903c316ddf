/* literal.h - tells a string of this program from any other pointer.
 *
 * Parent and child of a fork can hand each other a string literal by its address alone; one that has passed here may be
 * read, whatever has written it.
 */
#ifndef TWBENCH_LITERAL_H
#define TWBENCH_LITERAL_H

/* The text, when it is one in the memory of the program that cannot be written, its end included; else NULL. */
const char *literal_check(const char *text);

#endif
