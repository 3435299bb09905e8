package marker

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

func BenchmarkWrite(b *testing.B) {
	prose := "The handler reads the header, checks the length and calls next; a missing length is refused with 411.\n"
	for name, text := range map[string]string{
		"plain":   strings.Repeat(prose, 640),
		"code":    strings.Repeat("for i := 0; i < n; i++ {\n\tif a[i] <= b { `x` }\n}\n", 1300),
		"html":    strings.Repeat("<td><b>Name</b></td><td>1</td>\n", 2100),
		"markers": strings.Repeat(prose+"<NOTE>\nThe clock is in UTC.\n</NOTE>\n", 450),
	} {
		for _, size := range []int{4096, 64} {
			b.Run(name+"/"+map[int]string{4096: "4KiB", 64: "64B"}[size], func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					p := New(task.Implementer)
					for at := 0; at < len(text); at += size {
						p.Write(text[at:min(at+size, len(text))])
					}
					p.Close()
				}
			})
		}
	}
}
