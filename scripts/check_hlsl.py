"""Compiles every .hlsl file of a folder with DXC as shader model 6.0, and looks for the bindings in what it made.

Usage: check_hlsl.py LIBDXCOMPILER FOLDER
"""

import ctypes
import re
import sys
import uuid
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

UTF8 = 65001
ARGUMENTS = ["-E", "main", "-T", "cs_6_0", "-HV", "2018"]


def guid(text):
    return uuid.UUID(text).bytes_le


DXC_COMPILER = guid("73e22d93-e6ce-47f3-b5bf-f0664f39c1b0")
I_DXC_COMPILER3 = guid("228b4687-5a6a-4730-900c-9702b2203f54")
I_DXC_RESULT = guid("58346cda-dde7-4497-9461-6f87af5e0659")


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("encoding", ctypes.c_uint32)]


def method(this, slot, result, *arguments):
    """Calls a method of a COM object by its place in the table; the arguments are pairs of type and value."""
    table = ctypes.cast(this, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
    types, values = zip(*arguments) if arguments else ((), ())
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *types)(table[slot])(this, *values)


def bytes_of(blob):
    pointer = method(blob, 3, ctypes.c_void_p)
    size = method(blob, 4, ctypes.c_size_t)
    return ctypes.string_at(pointer, size)


class Compiler:
    def __init__(self, library):
        create = ctypes.CDLL(library).DxcCreateInstance
        create.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
        self.this = ctypes.c_void_p()
        if create(DXC_COMPILER, I_DXC_COMPILER3, ctypes.byref(self.this)) != 0:
            sys.exit("check_hlsl: the library makes no compiler")

    def run(self, slot, source, size, encoding, arguments, output):
        """Compile (3) or Disassemble (4): whether it went well, its output and its messages."""
        buffer = Buffer(source, size, encoding)
        result = ctypes.c_void_p()
        given = [(ctypes.c_void_p, ctypes.addressof(buffer))]
        if arguments is not None:
            words = (ctypes.c_wchar_p * len(arguments))(*arguments)
            given += [(ctypes.c_void_p, ctypes.addressof(words)), (ctypes.c_uint32, len(arguments)), (ctypes.c_void_p, None)]
        given += [(ctypes.c_char_p, I_DXC_RESULT), (ctypes.c_void_p, ctypes.addressof(result))]
        if method(self.this, slot, ctypes.c_int32, *given) != 0:
            return False, b"", "the call failed"
        status = ctypes.c_int32()
        method(result, 3, ctypes.c_int32, (ctypes.c_void_p, ctypes.addressof(status)))
        blob = ctypes.c_void_p()
        method(result, 5, ctypes.c_int32, (ctypes.c_void_p, ctypes.addressof(blob)))
        messages = bytes_of(blob).decode(errors="replace").strip("\0") if blob else ""
        made = b""
        if status.value == 0:
            blob = ctypes.c_void_p()
            method(result, 4, ctypes.c_int32, (ctypes.c_void_p, ctypes.addressof(blob)))
            made = bytes_of(blob) if blob else b""
        method(result, 2, ctypes.c_uint32)
        return status.value == 0 and bool(made), made, messages

    def compile(self, text):
        return self.run(3, text, len(text), UTF8, ARGUMENTS, None)

    def disassemble(self, code):
        return self.run(4, code, len(code), 0, None, None)


def declared(text):
    """The registers that a text declares: (register, space)."""
    found = re.findall(r"register\(([btu]\d+)(?:, space(\d+))?\)", text)
    return {(register, int(space or 0)) for register, space in found}


def bound(listing):
    """The registers of the resource table of a disassembly."""
    found = set()
    for line in listing.splitlines():
        row = re.match(r"; \S+\s+(?:cbuffer|texture|UAV)\s.*\s(cb|t|u)(\d+)(?:,space(\d+))?\s+1\s*$", line)
        if row:
            kind, number, space = row.groups()
            found.add((f"{'b' if kind == 'cb' else kind}{number}", int(space or 0)))
    return found


COMPILER = None


def start(library):
    global COMPILER
    COMPILER = Compiler(library)


def check(path):
    text = path.read_bytes()
    good, code, messages = COMPILER.compile(text)
    if not good:
        return f"{path}: {messages}"
    good, listing, messages = COMPILER.disassemble(code)
    if not good:
        return f"{path}: {messages}"
    wanted, found = declared(text.decode()), bound(listing.decode(errors="replace"))
    # DXC drops what is declared and not used.
    if not found or not found <= wanted:
        return f"{path}: binds {sorted(found)} and declares {sorted(wanted)}"
    return None


def main(library, folder):
    paths = sorted(Path(folder).glob("*.hlsl"))
    with ProcessPoolExecutor(initializer=start, initargs=(library,)) as pool:
        failures = [f for f in pool.map(check, paths, chunksize=16) if f]
    for failure in failures[:24]:
        print(failure)
    print(f"{len(paths)} HLSL texts, {len(failures)} failures")
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
