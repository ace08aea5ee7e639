#include "count.h"

void count(int *number) {
    ++*number;
    log_line();
}
