// Floating point and strides: a product of two matrices that all parts read; each writes rows of its own.
#include "kernel.h"

#ifndef N
#define N 160
#endif

// Known to others, so that nobody can tell that they are all zeros.
double a[N][N], b[N][N];
static double c[PARTS][N][N];

static uint64_t body(int part) {
    if (part == 0 && a[0][0] == 0)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                c[part][i][j] = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = c[part][i][j];
            for (int k = 0; k < N; k++)
                sum += (a[i][k] + i - k) * (b[k][j] + j + part);
            c[part][i][j] = sum;
        }
    return (uint64_t)(int64_t)(c[part][N / 2][N / 3] + c[part][0][N - 1]);
}
