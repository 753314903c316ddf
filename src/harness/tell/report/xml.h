/*
 * xml.h - text that XML can hold.  Errors of `out` are left to the caller.
 */
#ifndef TWBENCH_XML_H
#define TWBENCH_XML_H

#include <stdio.h>

/* As character data: markup becomes entities; what XML 1.0 has no place for (most control
 * characters, bytes that are not UTF-8) becomes '?'. */
void xml_text(FILE *out, const char *text);

/* ` name="text"`, line ends kept. */
void xml_attribute(FILE *out, const char *name, const char *text);

#endif
