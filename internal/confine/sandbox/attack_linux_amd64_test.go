package sandbox

import "testing"

// A program can make 32-bit system calls, whose numbers mean other calls.
func TestForeignCallsEndTheProgram(t *testing.T) {
	c := workIn(t)
	for name, code := range map[string]string{
		"int 0x80": `b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"`,         // mov eax, 20 (getpid); int 0x80; ret
		"x32":      `b"\xb8\x27\x00\x00\x40\x0f\x05\xc3"`,         // mov eax, 39|0x40000000 (getpid of x32); syscall; ret
		"x32 high": `b"\x48\xc7\xc0\xfe\xff\xff\xff\x0f\x05\xc3"`, // mov rax, -2; syscall; ret
	} {
		r := inside(t, c, python(c, `
import mmap, ctypes
m=mmap.mmap(-1,4096,prot=7); m.write(`+code+`)
f=ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
print("went through", f())`))
		if r.Signal != "SIGSYS" {
			t.Errorf("%s: %s: %s", name, r.Exit, r.Output)
		}
	}
}
