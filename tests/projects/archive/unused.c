/* Nothing needs this file, so that what it needs is not missed. */
int nowhere(void);

int unused(void) {
    return nowhere();
}
