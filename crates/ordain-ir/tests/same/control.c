// Switches, gotos, loops, recursion, function pointers, static locals, short-circuit evaluation.
#include <stdio.h>

enum op { PUSH, ADD, MUL, DUP, JNZ, DEC, HALT };
typedef int (*unary)(int);
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int count(void) {
    static int calls = 10;
    return calls++;
}
static int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int run(const int *code) {
    int stack[16], top = 0, pc = 0, steps = 0;
    for (;;) {
        steps++;
        switch (code[pc++]) {
        case PUSH: stack[top++] = code[pc++]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case MUL: top--; stack[top - 1] *= stack[top]; break;
        case DUP: stack[top] = stack[top - 1]; top++; break;
        case DEC: stack[top - 1]--; break;
        case JNZ:
            if (stack[top - 1]) { pc = code[pc]; } else { pc++; }
            break;
        case HALT: return stack[0] * 100 + steps;
        default: return -1;
        }
    }
}

static int pick(long x) {
    switch (x) {
    case -5 ... -1: return 1;
    case 0: return 2;
    case 1L << 40: return 3;
    case 'a':
    case 'b': return 4;
    }
    return 5;
}

int main(void) {
    static const int code[] = { PUSH, 3, PUSH, 5, DUP, MUL, ADD, PUSH, 4, DEC, JNZ, 9, ADD, HALT };
    printf("%d\n", run(code));
    unary table[] = { twice, square, twice };
    int x = 3, a = 1, b = 2, c = 3;
    for (int i = 0; i < 3; i++)
        x = table[i](x);
    for (int i = 0; i < 7; i++) {
        int t = a;
        a = b;
        b = c;
        c = t + (i & 1 ? b : -a);
    }
    printf("%d %d %d %d\n", x, a, b, c);
    int n = 0;
again:
    if (n < 5 && (count() || n++) && (n += 2, n != 4))
        goto again;
    printf("%d %d %d\n", n, count(), ackermann(2, 3));
    do {
        n--;
        if (n == 2)
            continue;
        if (n < -3)
            break;
    } while (n > -10);
    printf("%d %d%d%d%d%d\n", n, pick(-3), pick(0), pick(1L << 40), pick('b'), pick(99));
    unsigned char wrap = 250;
    for (int i = 0; i < 10; i++)
        wrap++;
    printf("%d %d\n", wrap, (char)200 < 0);
    return x & 0x7f;
}
