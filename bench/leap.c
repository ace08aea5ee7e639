// A recorder in the manner of LEAP (Huang, Liu and Zhang, FSE 2010), to compare with: for every shared variable, the order in which
// threads access it. The compiler's instrumentation for ThreadSanitizer says where accesses are; this is linked instead of
// ThreadSanitizer's own runtime, so both recorders are given the same accesses.
//
// A variable is eight bytes here, and those whose numbers are equal modulo VARIABLES share a log and its lock. To log an access
// is to lock, append the thread's number, unlock. It is kinder than LEAP: an access itself takes place outside the lock, blocks of
// memory count as one access, and what library functions do (locks, copies) is not logged at all.
// LEAP_LOG names the file that logs go to.
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define VARIABLES 4096
#define LOG_BYTES 4096

struct variable {
    atomic_flag lock;
    uint16_t used;
    uint16_t number;
    uint8_t log[LOG_BYTES];
};

static struct variable variables[VARIABLES];
static atomic_int threads;
static _Thread_local int me = -1;
static int file = -1;

static void flush(struct variable *v) {
    uint16_t head[2] = {v->number, v->used};
    // What a full disk loses does not matter here.
    if (file >= 0 && (write(file, head, sizeof head) < 0 || write(file, v->log, v->used) < 0))
        file = -1;
    v->used = 0;
}

static void note(const void *address) {
    uintptr_t number = (uintptr_t)address >> 3;
    struct variable *v = &variables[(number ^ number >> 12) % VARIABLES];
    if (__builtin_expect(me < 0, 0))
        me = atomic_fetch_add(&threads, 1);
    for (int spins = 0; atomic_flag_test_and_set_explicit(&v->lock, memory_order_acquire);)
        if (++spins % 64 == 0)
            sched_yield();
    v->log[v->used++] = (uint8_t)me;
    if (__builtin_expect(v->used == LOG_BYTES, 0))
        flush(v);
    atomic_flag_clear_explicit(&v->lock, memory_order_release);
}

static void finish(void) {
    for (int i = 0; i < VARIABLES; i++)
        if (variables[i].used)
            flush(&variables[i]);
}

void __tsan_init(void) {
    if (file >= 0)
        return;
    const char *name = getenv("LEAP_LOG");
    file = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    for (int i = 0; i < VARIABLES; i++)
        variables[i].number = (uint16_t)i;
    atexit(finish);
}

void __tsan_func_entry(void *pc) {
    (void)pc;
}
void __tsan_func_exit(void) {
}
void __tsan_vptr_update(void **at, void *value) {
    (void)value;
    note(at);
}
void __tsan_vptr_read(void **at) {
    note(at);
}

#define ACCESS(size)                                                                                                          \
    void __tsan_read##size(void *at) {                                                                                        \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_write##size(void *at) {                                                                                       \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_unaligned_read##size(void *at) {                                                                              \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_unaligned_write##size(void *at) {                                                                             \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_read_write##size(void *at) {                                                                                  \
        note(at);                                                                                                             \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_unaligned_read_write##size(void *at) {                                                                        \
        note(at);                                                                                                             \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_volatile_read##size(void *at) {                                                                               \
        note(at);                                                                                                             \
    }                                                                                                                         \
    void __tsan_volatile_write##size(void *at) {                                                                              \
        note(at);                                                                                                             \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *at, unsigned long size) {
    (void)size;
    note(at);
}
void __tsan_write_range(void *at, unsigned long size) {
    (void)size;
    note(at);
}
void *__tsan_memcpy(void *to, const void *from, size_t size) {
    note(to);
    note(from);
    return __builtin_memcpy(to, from, size);
}
void *__tsan_memmove(void *to, const void *from, size_t size) {
    note(to);
    note(from);
    return __builtin_memmove(to, from, size);
}
void *__tsan_memset(void *to, int byte, size_t size) {
    note(to);
    return __builtin_memset(to, byte, size);
}

// Whatever order the program asked for, it gets the strongest.
#define UPDATE(bits, name, builtin)                                                                                           \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, int order) {               \
        (void)order;                                                                                                          \
        note((const void *)at);                                                                                               \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                                                          \
    }
#define EXCHANGE(bits, name)                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t *at, uint##bits##_t *old, uint##bits##_t value,   \
                                                      int order, int failing) {                                               \
        (void)order, (void)failing;                                                                                           \
        note((const void *)at);                                                                                               \
        return __atomic_compare_exchange_n(at, old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                            \
    }
#define ATOMIC(bits)                                                                                                          \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) {                                 \
        (void)order;                                                                                                          \
        note((const void *)at);                                                                                               \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                         \
    }                                                                                                                         \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) {                          \
        (void)order;                                                                                                          \
        note((const void *)at);                                                                                               \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                        \
    }                                                                                                                         \
    UPDATE(bits, exchange, __atomic_exchange_n)                                                                               \
    UPDATE(bits, fetch_add, __atomic_fetch_add)                                                                               \
    UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                                                               \
    UPDATE(bits, fetch_and, __atomic_fetch_and)                                                                               \
    UPDATE(bits, fetch_or, __atomic_fetch_or)                                                                                 \
    UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                                                               \
    UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                                                             \
    EXCHANGE(bits, strong)                                                                                                    \
    EXCHANGE(bits, weak)                                                                                                      \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(volatile uint##bits##_t *at, uint##bits##_t old,                \
                                                              uint##bits##_t value, int order, int failing) {                 \
        __tsan_atomic##bits##_compare_exchange_strong(at, &old, value, order, failing);                                       \
        return old;                                                                                                           \
    }
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) {
    (void)order;
}
