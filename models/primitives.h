// What the models of synchronisation are made of, besides atomics: functions that Ordain itself gives a meaning to.
//
// Who has to wait does so in a loop that only reads, which the machine knows as an await, or in `ordain_cond_sleep`. Time is
// virtual: whether it is up is a decision of whoever schedules the threads.

#ifndef ORDAIN_PRIMITIVES_H
#define ORDAIN_PRIMITIVES_H

#define AS(type, object) ((type *)(void *)(object))

// The thread joins those who wait for a condition; from now on a signal can wake it.
void ordain_cond_enqueue(void *condition);
// Waits until the thread has been woken.
void ordain_cond_sleep(void);
// Whether the thread has been woken.
_Bool ordain_cond_woken(void);
// The thread waits no longer; whether it was woken before.
_Bool ordain_cond_leave(void);
// Wakes one of those who wait, any of them, or all.
void ordain_cond_signal(void *condition);
void ordain_cond_broadcast(void *condition);
// Whether anybody waits.
_Bool ordain_cond_waiters(void *condition);

// Whether time is up.
_Bool ordain_expired(void);
// Whether to wake without a signal.
_Bool ordain_spurious(void);
// Hooks of `hooks.c`.
void ordain_cancellation_point(void);
void ordain_thread_ends(void);
void ordain_leave_mutexes(void);

// Something is used as it must not be.
_Noreturn void ordain_misuse(const char *what);

#endif
