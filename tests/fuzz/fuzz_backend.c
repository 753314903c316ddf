/*
 * fuzz_backend.c - libFuzzer target: any bytes are operations on any design of the registry.
 *
 * The first byte chooses the design, the others are decoded by the conformance room; a broken rule
 * is printed with the shortest list that shows it, and stops the fuzzer like a crash.
 */
#include "harness/prove/conform.h"
#include "impls/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    const struct tw_backend *backend = registry[bytes[0] % registry_count].timed;
    struct conform_report report;
    if (conform_run_bytes(backend, bytes + 1, size - 1, &report) == 0)
        return 0;
    fprintf(stderr, "design: %s\nrule: %s\nfound: %s\n%s", backend->name, report.rule,
            report.detail, report.operations);
    abort();
}
