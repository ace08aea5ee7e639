// Searching in strings, cutting them up, and the kinds of characters.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int sign(int x) {
    return (x > 0) - (x < 0);
}

static void characters(void) {
    unsigned sum = 0;
    for (int c = 0; c < 256; c++) {
        int kinds[] = {!!isalpha(c), !!isalnum(c), !!isupper(c), !!islower(c), !!isdigit(c), !!isxdigit(c),
                       !!isspace(c), !!isprint(c), !!isgraph(c), !!ispunct(c), !!iscntrl(c), !!isblank(c)};
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
            sum = sum * 3 + kinds[i];
        sum = sum * 5 + toupper(c) + 2 * tolower(c);
    }
    printf("%u\n", sum);
}

int main(void) {
    const char *text = "the order of threads";
    printf("%s|%s|%d\n", strstr(text, "or"), strstr(text, ""), strstr(text, "orderly") == NULL);
    printf("%zu %zu %s\n", strspn(text, "eht "), strcspn(text, "fo"), strpbrk(text, "xyzf"));
    printf("%s %s\n", index(text, 'o'), rindex(text, 'o'));
    char words[] = ",,one,two;three;;";
    for (char *word = strtok(words, ",;"); word; word = strtok(0, ",;"))
        printf("<%s>", word);
    printf("\n%d %d %d\n", sign(strcasecmp("Abc", "aBD")), strncasecmp("ABcx", "abCy", 3), bcmp("ab", "ac", 2) != 0);
    characters();
    return 0;
}
