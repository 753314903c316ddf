/* show_page.c - breaks the texts of drawings into lines. */
#include "labs/teach/show/show_page.h"

size_t show_line_length(const char *text, size_t columns)
{
    size_t length = strlen(text);
    if (length <= columns)
        return length;
    for (length = columns; length > 0 && text[length] != ' ';)
        length--;
    return length > 0 ? length : columns;
}
