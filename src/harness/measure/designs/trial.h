/* trial.h - loads a plugin in a child process, to see what that does and to read its table.
 *
 * Loading a shared object runs its constructors, and nothing keeps them from crashing, hanging,
 * printing or closing our files.  What they would do to us they do to the child, and the plugin is
 * refused with a reason.
 */
#ifndef TWBENCH_TRIAL_H
#define TWBENCH_TRIAL_H

#include "harness/base/diag.h"
#include "harness/measure/designs/plugin_table.h"

/* DIAG_OK when the plugin can be loaded: it is a shared object with a table that is whole, of this version of the
 * contract, and loading and unloading it leaves the process as it was.  *copy is then the table, as the child says it
 * is: table_restore checks it.  Milliseconds, or 10 s for one that hangs. */
int trial_load(const char *path, struct table_copy *copy, struct diag *diag);

#endif
