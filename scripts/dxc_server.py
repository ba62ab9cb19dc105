"""Compiles HLSL to SPIR-V with DXC for the adapter tests (tests/adapter/common/dxc.rs), one kernel after the other.

Usage: dxc_server.py LIBDXCOMPILER

Each request on standard input is a line with a number of bytes, and so many bytes of HLSL. Each answer on standard output is a
line with `spirv` or `error` and a number of bytes, and so many bytes.
"""

import re
import sys

from check_hlsl import ARGUMENTS, UTF8, Compiler


# A number without a type: what DXC makes SPIR-V of may have its digits cut off and not rounded, other than what it makes DXIL of.
UNTYPED = re.compile(rb"\b(\d+\.\d+(?:e[+-]?\d+)?)\b(?!f)")


def main(library):
    compiler = Compiler(library)
    arguments = [*ARGUMENTS, "-spirv", "-fspv-target-env=vulkan1.1"]
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        text = UNTYPED.sub(rb"\1f", requests.read(int(line)))
        good, code, messages = compiler.run(3, text, len(text), UTF8, arguments, None)
        kind, answer = ("spirv", code) if good else ("error", messages.encode())
        answers.write(f"{kind} {len(answer)}\n".encode() + answer)
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
