/*
 * Preloaded into every process of the golden run: the clock stands still, deadlines never come, background processes wait their turn.
 *
 * - The time of day is GOLDEN_NOW (seconds), and so is the time of change of each file written since GOLDEN_START.
 * - The monotonic clock is SLOW times slower, and sleeps of half a second or more last as much longer: nothing is late on a busy machine.
 * - A process that leads a session of its own (a background worker) starts once its parent has ended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SLOW 200LL
#define BILLION 1000000000LL
#define SHORT_SLEEP (BILLION / 2)

static long long now, start, base;

static long long real(clockid_t clock) {
    struct timespec t;
    syscall(SYS_clock_gettime, clock, &t);
    return t.tv_sec * BILLION + t.tv_nsec;
}

static struct timespec spec(long long ns) {
    return (struct timespec){.tv_sec = ns / BILLION, .tv_nsec = ns % BILLION};
}

static int is_monotonic(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

static int is_realtime(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

static long long monotonic(void) { return base + (real(CLOCK_MONOTONIC) - base) / SLOW; }

/* The moment on the real clock for a deadline on ours: a short wait keeps its length. */
static struct timespec due(clockid_t clock, const struct timespec *when) {
    long long left = when->tv_sec * BILLION + when->tv_nsec - (is_realtime(clock) ? now * BILLION : monotonic());
    if (left >= SHORT_SLEEP) left *= SLOW;
    return spec(real(clock) + (left > 0 ? left : 0));
}

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("GOLDEN_NOW"), *since = getenv("GOLDEN_START"), *runner = getenv("GOLDEN_PID");
    now = at ? atoll(at) : 0;
    start = since ? atoll(since) : 0;
    base = real(CLOCK_MONOTONIC);
    pid_t parent = getppid();
    if (runner && getsid(0) == getpid())
        while (parent != atoi(runner) && getppid() == parent) {
            struct timespec moment = spec(BILLION / 1000);
            syscall(SYS_nanosleep, &moment, NULL);
        }
}

int clock_gettime(clockid_t clock, struct timespec *t) {
    if (is_realtime(clock)) *t = spec(now * BILLION);
    else if (is_monotonic(clock)) *t = spec(monotonic());
    else return syscall(SYS_clock_gettime, clock, t);
    return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    (void)zone;
    *t = (struct timeval){.tv_sec = now};
    return 0;
}

time_t time(time_t *t) {
    if (t) *t = now;
    return now;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *when, struct timespec *left) {
    if (!(flags & TIMER_ABSTIME)) return syscall(SYS_clock_nanosleep, clock, flags, when, left) ? errno : 0;
    struct timespec moment = due(clock, when);
    return syscall(SYS_clock_nanosleep, clock, flags, &moment, left) ? errno : 0;
}

/* Declares `next`: the function of the C library that ours stands before. */
#define NEXT(name, ...) \
    static int (*next)(__VA_ARGS__); \
    if (!next) next = (int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict when) {
    NEXT(sem_clockwait, sem_t *, clockid_t, const struct timespec *);
    struct timespec moment = due(clock, when);
    return next(sem, clock, &moment);
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict when) {
    NEXT(sem_timedwait, sem_t *, const struct timespec *);
    struct timespec moment = due(CLOCK_REALTIME, when);
    return next(sem, &moment);
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, const struct timespec *restrict when) {
    NEXT(pthread_cond_timedwait, pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    struct timespec moment = due(when->tv_sec < BILLION ? CLOCK_MONOTONIC : CLOCK_REALTIME, when);
    return next(cond, mutex, &moment);
}

static int aged(int result, struct stat *facts) {
    if (!result && start && facts->st_mtim.tv_sec >= start) facts->st_mtim = spec(now * BILLION);
    return result;
}

int stat(const char *restrict path, struct stat *restrict facts) {
    NEXT(stat, const char *, struct stat *);
    return aged(next(path, facts), facts);
}

int lstat(const char *restrict path, struct stat *restrict facts) {
    NEXT(lstat, const char *, struct stat *);
    return aged(next(path, facts), facts);
}

int fstat(int file, struct stat *facts) {
    NEXT(fstat, int, struct stat *);
    return aged(next(file, facts), facts);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict facts, int flags) {
    NEXT(fstatat, int, const char *, struct stat *, int);
    return aged(next(folder, path, facts, flags), facts);
}

/* The same structure on 64-bit systems. */
int stat64(const char *restrict path, struct stat64 *restrict facts) { return stat(path, (struct stat *)facts); }
int lstat64(const char *restrict path, struct stat64 *restrict facts) { return lstat(path, (struct stat *)facts); }
int fstat64(int file, struct stat64 *facts) { return fstat(file, (struct stat *)facts); }
int fstatat64(int folder, const char *restrict path, struct stat64 *restrict facts, int flags) {
    return fstatat(folder, path, (struct stat *)facts, flags);
}
