void count(int *number);
int log_lines(void);
void log_line(void);
