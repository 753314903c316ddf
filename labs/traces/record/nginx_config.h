/* nginx_config.h - a private copy of nginx's configuration under which it reports its timers on standard error. */
#ifndef TWBENCH_NGINX_CONFIG_H
#define TWBENCH_NGINX_CONFIG_H

#include "harness/base/diag.h"

#include <stddef.h>

struct nginx_config {
    char directory[64]; /* "": none */
    char file[336];
    char file_flag[3], globals_flag[3]; /* "-c", "-g" */
    char *globals;                      /* behind -g */
    char **words;                       /* the command to run instead; ends with NULL */
};

/* Copies the configuration that the command would run under, without error_log and daemon of its main file; what lies
 * beside that file is linked.  DIAG_USAGE: no nginx, one without --with-debug, a configuration that it refuses, or an
 * error_log in an included file, which would take the reports away.  nginx_config_close in any case. */
int nginx_config_open(struct nginx_config *config, char *const *command, struct diag *diag);
/* Removes the directory with the configuration that was written; harmless without. */
void nginx_config_close(struct nginx_config *config);

/* Appends `text` without the directives error_log and daemon to `out`, of the same size at least; answers its length. */
size_t nginx_config_strip(const char *text, char *out);

#endif
