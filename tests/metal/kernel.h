// A kernel as the program that runs it sees it.
#pragma once
#include "metal_stdlib.h"

// What an invocation is given.
struct Call {
    uint3 group, groups, local, size;
    uint index;
    char* const* buffers;
};

struct Kernel {
    void (*call)(const Call&);
    // Fills the memory of a workgroup with a pattern.
    void (*poison)();
    bool has_barriers;
};
