// Error numbers and their texts.
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int __xpg_strerror_r(int, char *, size_t);

static void *other(void *unused) {
    errno = 7;
    return unused;
}

int main(void) {
    char text[64], small[8];
    for (int i = -2; i < 140; i++) {
        printf("%d %s %s ", i, strerror(i), strerror_r(i, text, sizeof text));
        int result = __xpg_strerror_r(i, text, sizeof text);
        printf("%d %s ", result, text);
        result = __xpg_strerror_r(i, small, sizeof small);
        printf("%d %s\n", result, small);
    }
    errno = 5;
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", errno);
    return 0;
}
