// What most programs have no use for, at places that are the same in all: nothing happens there, unless a model that was
// asked for says otherwise.

#include "primitives.h"

// The thread can be cancelled here.
void ordain_cancellation_point(void) {
}

// The thread has run its destructors, and ends.
void ordain_thread_ends(void) {
}

// Mutexes that outlive their owners are given back.
void ordain_leave_mutexes(void) {
}
