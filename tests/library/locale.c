// The C locale: which bytes are characters, and how wide.
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void) {
    printf("%s %s %s\n", setlocale(LC_ALL, ""), setlocale(LC_CTYPE, NULL), setlocale(LC_ALL, "C"));
    printf("%d %d\n", setlocale(LC_ALL, "xx_nowhere") == NULL, (int)MB_CUR_MAX);
    for (int byte = 0; byte < 128; byte++) {
        char text[2] = {(char)byte, 0};
        wchar_t wide = -1;
        mbstate_t state;
        memset(&state, 0, sizeof state);
        size_t length = mbrtowc(&wide, text, 1, &state);
        printf("%d: %zd %d %d %d\n", byte, length, (int)wide, wcwidth(wide), mbsinit(&state) != 0);
    }
    printf("%zd %zd\n", mbrtowc(NULL, "x", 0, NULL), mbrtowc(NULL, NULL, 0, NULL));
    return 0;
}
