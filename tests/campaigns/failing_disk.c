/*
 * A disk that fails: preloaded into a program, it counts what the program writes to files below FAULT_FOLDER and lets
 * the call number FAULT_AT end as FAULT_HOW says: "once" and "always" (from then on) fail with the error FAULT_ERROR,
 * "short" writes half, "kill" ends the process before the call, as a cut of power would. A byte in FAULT_TOLD tells of it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int below_folder(int file) {
    char link[64], path[4096];
    const char *folder = getenv("FAULT_FOLDER");
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

static void tell(void) {
    ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    int file = open(getenv("FAULT_TOLD"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0) return;
    if (real(file, "x", 1) != 1) abort();
    close(file);
}

/* Return whether this call fails; *half is set where it writes half of its bytes instead. */
static int fails(int file, int *half) {
    *half = 0;
    if (!below_folder(file)) return 0;
    const char *how = getenv("FAULT_HOW");
    long at = atol(getenv("FAULT_AT")), number = atomic_fetch_add(&calls, 1) + 1;
    if (number < at || (number > at && strcmp(how, "always"))) return 0;
    if (number == at) tell();
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "short")) { *half = 1; return 0; }
    errno = atoi(getenv("FAULT_ERROR"));
    return 1;
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRITES(name, parameters, arguments) \
    ssize_t name parameters { REAL(name); int half; int saved = errno; \
        if (fails(file, &half)) return -1; \
        errno = saved; if (half && size > 1) size /= 2; return real arguments; }

#define CHANGES(name, parameters, arguments) \
    int name parameters { REAL(name); int half; int saved = errno; \
        if (fails(file, &half)) return -1; \
        errno = saved; return real arguments; }

WRITES(write, (int file, const void *data, size_t size), (file, data, size))
WRITES(pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at))
WRITES(pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at))
CHANGES(fsync, (int file), (file))
CHANGES(fdatasync, (int file), (file))
CHANGES(ftruncate, (int file, off_t size), (file, size))
CHANGES(ftruncate64, (int file, off64_t size), (file, size))
