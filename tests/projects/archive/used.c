int used(int x) {
    return 2 * x + 2;
}
