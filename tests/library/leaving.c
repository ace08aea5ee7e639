// Handlers of the end of a process, in the reverse order of their registration.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static void plain(void) {
    printf("plain\n");
}

static void with_status(int status, void *argument) {
    printf("%d %s\n", status, (const char *)argument);
}

static void registers(void) {
    atexit(plain);
    printf("registers\n");
}

int main(void) {
    printf("%d %d\n", atexit(plain), on_exit(with_status, "first"));
    printf("%d %d\n", on_exit(with_status, "second"), atexit(registers));
    exit(0);
}
