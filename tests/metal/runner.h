// Of one file of a program. Runs dispatches of the kernels in `kernels`: reads them from standard input, and writes what their buffers hold afterwards to
// standard output. Numbers are those of this machine.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ucontext.h>
#include <vector>

#include "kernel.h"

extern const Kernel kernels[];

namespace runner {
constexpr size_t STACK = 256 << 10, GUARD = 256;
constexpr char POISON = char(0xab);

ucontext_t scheduler;
const Kernel* program_now;

struct Invocation {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[STACK]};
    Call call;
    bool ended;
};
Invocation* invocation_now;

void enter() {
    Invocation* own = invocation_now;
    program_now->call(own->call);
    own->ended = true;
}

void read(void* to, size_t size) {
    if (size > 0 && std::fread(to, 1, size, stdin) != size) std::exit(3);
}

// All invocations of a workgroup, each up to the next barrier.
void workgroup(const Kernel& program, Call call) {
    static std::vector<Invocation> all;
    program.poison();
    uint3 size = call.size;
    uint count = size.x * size.y * size.z;
    if (all.size() < count) all = std::vector<Invocation>(count);
    for (uint i = 0; i < count; i++) {
        call.index = i;
        call.local = uint3(i % size.x, i / size.x % size.y, i / size.x / size.y);
        if (!program.has_barriers) {
            program.call(call);
            continue;
        }
        Invocation& own = all[i];
        own.call = call;
        own.ended = false;
        getcontext(&own.context);
        own.context.uc_stack.ss_sp = own.stack.get();
        own.context.uc_stack.ss_size = STACK;
        own.context.uc_link = &scheduler;
        makecontext(&own.context, enter, 0);
    }
    if (!program.has_barriers) return;
    program_now = &program;
    for (uint left = count; left > 0;) {
        left = 0;
        for (uint i = 0; i < count; i++) {
            if (all[i].ended) continue;
            invocation_now = &all[i];
            swapcontext(&scheduler, &all[i].context);
            left += !all[i].ended;
        }
    }
}

int run() {
    uint head[8];
    while (std::fread(head, sizeof head, 1, stdin) == 1) {
        std::vector<std::vector<char>> buffers(head[7]);
        std::vector<char*> places;
        std::vector<size_t> sizes;
        for (auto& buffer : buffers) {
            size_t size;
            read(&size, sizeof size);
            buffer.assign(size + GUARD, POISON);
            read(buffer.data(), size);
            places.push_back(buffer.data());
            sizes.push_back(size);
        }
        const Kernel& program = kernels[head[0]];
        Call call = {uint3(0), uint3(head[1], head[2], head[3]), uint3(0), uint3(head[4], head[5], head[6]), 0, places.data()};
        for (uint z = 0; z < call.groups.z; z++)
            for (uint y = 0; y < call.groups.y; y++)
                for (uint x = 0; x < call.groups.x; x++) {
                    call.group = uint3(x, y, z);
                    workgroup(program, call);
                }
        for (size_t i = 0; i < buffers.size(); i++) {
            for (size_t j = 0; j < GUARD; j++)
                if (buffers[i][sizes[i] + j] != POISON) {
                    std::fprintf(stderr, "kernel %u wrote beyond buffer %zu\n", head[0], i);
                    return 4;
                }
            std::fwrite(buffers[i].data(), 1, sizes[i], stdout);
        }
        std::fflush(stdout);
    }
    return 0;
}
}  // namespace runner

void metal::threadgroup_barrier(mem_flags) { swapcontext(&runner::invocation_now->context, &runner::scheduler); }
