package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cputest"
)

func TestOutline(t *testing.T) {
	for name, c := range map[string]struct {
		content, want string
		guess         bool
	}{
		"a.go": {"// Package a is.\npackage a\n\n" +
			"import \"fmt\"\n\nconst one = 1\n\nvar (\n\tx, y = 1,\n\t\t2\n)\n\n// T is.\ntype T struct {\n\ta int\n}\n" +
			"\ntype I interface{ M() }\n\n" +
			"// M does.\nfunc (t *T) M(\n\ta int,\n) error {\n\treturn nil\n}\n\nfunc asm()\n",
			"L2 package a\nL6 const one\nL9-10 var x, y\nL14-16 type T struct\nL18 type I interface\nL21-25 func (t *T) M( a int, ) error\n" +
				"L27 func asm()\n", false},
		"line.go":   {"package a\n\n//line other.go:900\nfunc f() {}\n", "L1 package a\nL4 func f()\n", false},
		"broken.go": {"package a\n\nfunc f() {\n\tif {\n}\n\ntype T struct {\n", "L3-5 func f() {\nL7 type T struct {\n", true},
		"a.md": {"# One\n\ntext\n\n```sh\n# no heading\n```\n\n## Two\n\nThree\n=====\n\n#### Four *x*\n",
			"L1-10 # One\nL9-10 ## Two\nL11-14 # Three\nL14 #### Four *x*\n", false},
		"a.py": {"import x\n\nclass A(B):\n    def f(self):\n        pass\n\n    async def g(self):\n        pass\n\n\ndef h(): pass\n",
			"L3-8 class A(B):\nL4-5     def f(self):\nL7-8     async def g(self):\nL11 def h(): pass\n", true},
		"a.js": {"export default class A extends B {\n  m(x) {\n    if (x) {\n    }\n  }\n}\nconst f = async (a) => {\n}\nfunction g() {}\n",
			"L1-6 export default class A extends B {\nL2-5   m(x) {\nL7-8 const f = async (a) => {\nL9 function g() {}\n", true},
		"a.ts": {"export interface I {\n  a: string\n}\ntype U = A | B\nexport const x: F = (a) => 1\n",
			"L1-3 export interface I {\nL4 type U = A | B\nL5 export const x: F = (a) => 1\n", true},
		"A.java": {"public class A {\n    private static int f(int a) {\n        return g(a);\n    }\n}\n",
			"L1-5 public class A {\nL2-4     private static int f(int a) {\n", true},
		"a.kt": {"data class A(val x: Int)\nfun f() = 1\n", "L1 data class A(val x: Int)\nL2 fun f() = 1\n", true},
		"a.c": {"#define X 1\nstruct s {\n  int a;\n};\nstatic int f(int a)\n{\n  g(a);\n}\nint decl(void);\n",
			"L1 #define X 1\nL2-4 struct s {\nL5-8 static int f(int a)\n", true},
		"a.cs": {"namespace N;\npublic class A {\n    public async Task<int> F(int a) {\n    }\n}\n",
			"L1 namespace N;\nL2-5 public class A {\nL3-4     public async Task<int> F(int a) {\n", true},
		"a.rb": {"module M\n  def f\n  end\nend\n", "L1-4 module M\nL2-3   def f\n", true},
		"a.rs": {"pub(crate) struct S;\nimpl S {\n    pub async fn f() {}\n}\n",
			"L1 pub(crate) struct S;\nL2-4 impl S {\nL3     pub async fn f() {}\n", true},
		"a.php": {"<?php\nfinal class A {\n  public static function f() {}\n}\n",
			"L2-4 final class A {\nL3   public static function f() {}\n", true},
		"a.swift": {"@main public struct A {\n  func f() {}\n}\n", "L1-3 @main public struct A {\nL2   func f() {}\n", true},
		"a.sh":    {"f() {\n  x\n}\nfunction g {\n}\n", "L1-3 f() {\nL4-5 function g {\n", true},
	} {
		f := newFolder(t, map[string]string{name: c.content})
		a := f.ok("get_file_outline", with("path", name))
		if a["outline"] != c.want || (a["guess"] == true) != c.guess || a["lines"] != float64(strings.Count(c.content, "\n")) {
			t.Errorf("%s: %v", name, a)
		}
	}
	f := newFolder(t, map[string]string{"a.txt": "x", "bin.go": "\x00", "big.go": strings.Repeat("/", 1<<20+1), "d.go/x": ""})
	f.fails("get_file_outline", with("path", "a.txt"), "are not outlined; use search")
	f.fails("get_file_outline", with("path", "bin.go"), "binary")
	f.fails("get_file_outline", with("path", "big.go"), "1048577 bytes")
	f.fails("get_file_outline", with("path", "d.go"), "is a folder")
}

func TestOutlineLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := range 400 {
		fmt.Fprintf(&b, "func function%04d() {}\n", i)
	}
	f := newFolder(t, map[string]string{"a.go": b.String(), "wide.go": "package a\n\ntype T" + strings.Repeat("x", 5000) + " int\n"})
	a := f.ok("get_file_outline", with("path", "a.go"))
	shown := a["outline"].(string)
	items := strings.Count(shown, "\n") - 1
	if len(shown) > 4000 || len(shown) < 3900 || a["truncated"] != true || !strings.HasSuffix(shown,
		fmt.Sprintf("\n… %d more; search finds them\n", 401-items)) {
		t.Errorf("%d bytes, truncated %v: …%s", len(shown), a["truncated"], shown[len(shown)-100:])
	}
	if shown := f.ok("get_file_outline", with("path", "wide.go"))["outline"].(string); len(shown) > 200 {
		t.Errorf("%d bytes", len(shown))
	}
}

// TestOutlineOfHostileFiles has files that take naive parsers long.
func TestOutlineOfHostileFiles(t *testing.T) {
	for name, content := range map[string]string{
		"parens.go":   "package a\n\nvar x = " + strings.Repeat("(", 50_000),
		"stars.go":    "package a\n\nvar x " + strings.Repeat("*", 110_000),
		"funcs.go":    "package a\n" + strings.Repeat("func f(){}\n", 20_000),
		"quotes.md":   strings.Repeat(strings.Repeat("> ", 900)+"x\n", 100),
		"tight.md":    strings.Repeat(strings.Repeat(">", 2000)+"x\n", 100),
		"lists.md":    strings.Repeat(strings.Repeat("- ", 900)+"x\n", 100),
		"numbers.md":  strings.Repeat("1. ", 40_000),
		"brackets.md": strings.Repeat("[", 60_000),
		"labels.md":   strings.Repeat("[", 100_000) + "]: x",
		"refs.md":     strings.Repeat("[a]: b\n", 30_000),
		"headings.md": strings.Repeat("# x\n", 30_000),
		"under.md":    strings.Repeat("x\n=\n", 30_000),
		"para.md":     strings.Repeat("x\n", 30_000),
		"fences.md":   strings.Repeat("```\n", 30_000),
		"html.md":     strings.Repeat("<!--\n\n", 40_000),
		"indent.md":   indented(700),
		"steps.md":    steps(300),
		"steps.py":    steps(300),
		"spaces.ts":   strings.Repeat(" ", 400_000),
		"words.java":  strings.Repeat("public ", 100_000),
		"lines.c":     strings.Repeat("a b(\n", 100_000),
	} {
		f := newFolder(t, map[string]string{name: content})
		cputest.Bounded(t, name, func() { f.ok("get_file_outline", with("path", name)) })
	}
}

func indented(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "- x\n")
	}
	return b.String()
}

func steps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i%100*i/100) + "def x\n\n" + strings.Repeat("> ", i%19) + "- x\n")
	}
	return b.String()
}
