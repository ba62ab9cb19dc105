// A library that is preloaded, so that no other is unloaded: some drivers hang where a thread ends behind it.
int dlclose(void *handle) {
    (void)handle;
    return 0;
}
