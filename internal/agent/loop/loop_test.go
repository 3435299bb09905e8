package loop

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// step is a call and the level that it must get.
type step struct {
	tool, input string
	want        Level
}

func bash(command string, want Level) step {
	return step{"Bash", fmt.Sprintf(`{"command":%q}`, command), want}
}

func read(path string, want Level) step {
	return step{"Read", fmt.Sprintf(`{"file_path":%q}`, path), want}
}

func edit(text string, want Level) step {
	return step{"Edit", fmt.Sprintf(`{"file_path":"a.go","old_string":"x","new_string":%q}`, text), want}
}

func TestLoops(t *testing.T) {
	for name, steps := range map[string][]step{
		"three warn, five stop": {
			bash("make all", None), bash("make all", None), bash("make all", Warn), bash("make all", Warn), bash("make all", Stop), bash("make all", Stop),
		},
		"reads": {read("a", None), read("a", None), read("a", Warn), read("a", Warn), read("a", Stop)},
		"equal edits": {
			edit("1", None), edit("1", None), edit("1", Warn), edit("1", Warn), edit("1", Stop),
		},
		"four alternations": {bash("go test ./...", None), read("a", None), bash("go test ./...", None), read("a", Warn)},
		"alternating with the same edit, at last stopped": {
			bash("go test", None), edit("1", None), bash("go test", None), edit("1", Warn), bash("go test", Warn), edit("1", Warn),
			bash("go test", Warn), edit("1", Warn), bash("go test", Warn), edit("1", Stop),
		},
		"an edit and its reversal with the test between": {
			edit("1", None), bash("go test", None), edit("2", None), bash("go test", None), edit("1", None), bash("go test", None),
			edit("2", None), bash("go test", Warn), edit("1", None), bash("go test", Warn), edit("2", Warn), bash("go test", Stop),
		},
		"rounds of three": {
			read("a", None), read("b", None), read("c", None), read("a", None), read("b", None), read("c", None),
			read("a", Warn), read("b", Warn), read("c", Warn), read("a", Warn), read("b", Warn), read("c", Warn), read("a", Stop),
		},
		"reading on does not hide it": {
			bash("go test", None), read("a", None), bash("go test", None), read("b", None), bash("go test", Warn), read("c", None),
			bash("go test", Warn), read("d", None), bash("go test", Stop),
		},
		"words in the description do not hide it": {
			{"Bash", `{"command":"go test","description":"Run tests"}`, None},
			{"Bash", `{"description":"Run the tests again","command":"go test"}`, None},
			{"Bash", `{"command":"go test"}`, Warn},
		},
		"key order and white space": {
			{"Grep", `{"pattern":"x","path":"a","head":1}`, None},
			{"Grep", "{ \"path\" : \"a\",\n\"head\":1, \"pattern\": \"\\u0078\" }", None},
			{"Grep", `{"head":1,"path":"a","pattern":"x"}`, Warn},
		},
		"other values": {
			{"Grep", `{"pattern":"x"}`, None}, {"Grep", `{"pattern":"x "}`, None}, {"Grep", `{"pattern":["x"]}`, None},
			{"Glob", `{"pattern":"x"}`, None}, {"Grep", `{"pattern":"x","n":1}`, None}, {"Grep", `{"pattern":"x","n":2}`, None},
		},
		"large numbers": {
			{"Get", `{"id":36028797018963969}`, None}, {"Get", `{"id":36028797018963968}`, None}, {"Get", `{"id":36028797018963970}`, None},
		},
		"no JSON":    {{"X", "{oops", None}, {"X", "{oops", None}, {"X", "{oops", Warn}},
		"no input":   {{"X", "", None}, {"X", "", None}, {"X", "", Warn}},
		"two values": {{"X", "{} {}", None}, {"X", "{}", None}, {"X", "{} {}", None}},
	} {
		t.Run(name, func(t *testing.T) { run(t, steps) })
	}
}

func run(t *testing.T, steps []step) {
	t.Helper()
	var d Detector
	for i, s := range steps {
		if got := d.See(s.tool, []byte(s.input)); got.Level != s.want {
			t.Errorf("call %d, %s %s: level %d (%s), want %d", i+1, s.tool, s.input, got.Level, got.Text, s.want)
		}
	}
}

// Ordinary work must never be disturbed.
func TestOrdinaryWorkPasses(t *testing.T) {
	for name, round := range map[string]func(i int) []step{
		"test, edit": func(i int) []step { return []step{bash("go test ./...", None), edit(fmt.Sprint(i), None)} },
		"test, read, edit": func(i int) []step {
			return []step{bash("go test ./... 2>&1 | tail -20", None), read("a.go", None), edit(fmt.Sprint(i), None)}
		},
		"edits made by the shell": func(i int) []step {
			return []step{bash("go test ./...", None), bash(fmt.Sprintf("sed -i 's/a/%d/' a.go", i), None)}
		},
		"edits made by here-documents": func(i int) []step {
			return []step{bash("npm test", None), bash(fmt.Sprintf("cat > a.js <<'E'\n%d\nE", i), None)}
		},
		"commits": func(i int) []step {
			return []step{edit(fmt.Sprint(i), None), bash("git add -A", None), bash(fmt.Sprintf("git commit -m %d", i), None), bash("git status", None)}
		},
		"reading a tree": func(i int) []step {
			return []step{read(fmt.Sprint("file", i), None), bash(fmt.Sprint("grep -n x file", i), None)}
		},
		"looking at the state now and then": func(i int) []step {
			steps := []step{bash("git status", None)}
			for j := range 10 {
				steps = append(steps, read(fmt.Sprint(i, j), None))
			}
			return steps
		},
		"unknown tools": func(i int) []step {
			return []step{{"mcp__tickets__list", "{}", None}, {"mcp__tickets__close", fmt.Sprintf(`{"id":%d}`, i), None}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var steps []step
			for i := range 50 {
				steps = append(steps, round(i)...)
			}
			run(t, steps)
		})
	}
}

// A build that runs in the background may be asked for its output more often, yet not for ever.
func TestWaiting(t *testing.T) {
	var d Detector
	first := map[Level]int{}
	for i := 1; i <= 30; i++ {
		v := d.See("BashOutput", []byte(`{"bash_id":"1"}`))
		if first[v.Level] == 0 {
			first[v.Level] = i
		}
	}
	if first[Warn] != warnAt*patience || first[Stop] != stopAt*patience {
		t.Errorf("first calls of each level: %v", first)
	}
}

// Waiting for a command in the background by sleeping is waiting too.
func TestSleepingIsWaiting(t *testing.T) {
	var d Detector
	for n := range 14 {
		for _, c := range [][2]string{{"run_command", `{"command":"sleep 60"}`}, {"manage_process", `{"action":"poll","process":"p1"}`}} {
			if v := d.See(c[0], []byte(c[1])); v.Level != None {
				t.Fatalf("%s, time %d: %+v", c[0], n+1, v)
			}
		}
	}
	var busy Detector
	for range 4 {
		busy.See("run_command", []byte(`{"command":"sleep 1; make"}`))
	}
	if v := busy.See("run_command", []byte(`{"command":"sleep 1; make"}`)); v.Level != Stop {
		t.Errorf("a command that does more: %+v", v)
	}
}

func TestTextsSayWhatToDo(t *testing.T) {
	var d Detector
	nasty := []byte("{\"command\":\"echo \\u001b[2J\\u202e\\n" + strings.Repeat("ä", 500) + "\"}")
	var texts []string
	for range 5 {
		texts = append(texts, d.See("Bash", nasty).Text)
	}
	for i, want := range []string{"", "", "3 times", "4 times", "ends here"} {
		if !strings.Contains(texts[i], want) || (want == "") != (texts[i] == "") {
			t.Errorf("call %d says %q, want %q in it", i+1, texts[i], want)
		}
		if strings.ContainsAny(texts[i], "\n\x1b\u202e") || len(texts[i]) > 500 {
			t.Errorf("call %d says %q", i+1, texts[i])
		}
	}
	if !strings.Contains(texts[2], `Bash `+"`"+`echo \x1b[2J\u202e\nää`) || !strings.Contains(texts[2], "do something else") {
		t.Errorf("the warning is %q", texts[2])
	}
}

func TestOnlyReads(t *testing.T) {
	for line, want := range map[string]bool{
		"ls -la": true, "cat a | grep b | wc -l": true, "cd x && go test ./... 2>&1 | tail": true, "CGO_ENABLED=0 go build ./...": true, "git diff HEAD~1": true,
		"sed -n 1,5p f": true, "sleep 30; gh run view": true, "": false, "sed -i s/a/b/ f": false, "echo x > f": false, "find . -delete": false,
		"git commit -m x": false, "rm f": false, "cat $(rm f)": false, "ls\nrm f": false, "go run .": false, "python x.py": false, "sort -o f f": false, "ls & rm f": false,
	} {
		if got := onlyReads(line); got != want {
			t.Errorf("onlyReads(%q) = %v", line, got)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	if size := unsafe.Sizeof(Detector{}); size > 8<<10 {
		t.Errorf("a detector takes %d bytes", size)
	}
	var d Detector
	big := []byte(`{"command":"` + strings.Repeat("x", 1<<20) + `"}`)
	d.See("Bash", big)
	live := testing.AllocsPerRun(100, func() { d.See("Read", []byte(`{"file_path":"a"}`)) })
	if live > 100 {
		t.Errorf("%v allocations a call", live)
	}
}

func FuzzSee(f *testing.F) {
	for _, seed := range []string{`{"command":"ls"}`, `{"a":{"b":[1,2.0,1e999,null]}}`, "{", "\x00\xff", `"x"`, `[[[[`} {
		f.Add("Bash", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, tool string, input []byte) {
		var d Detector
		for i, want := range []Level{None, None, Warn, Warn, Stop, Stop} {
			if kindOf(tool, parse(tool, input)) == waits {
				return
			}
			v := d.See(tool, input)
			if v.Level != want {
				t.Fatalf("call %d of %q %q: %+v", i+1, tool, input, v)
			}
			if len(v.Text) > 2000 || strings.ContainsAny(v.Text, "\x00\x1b\n\r") {
				t.Fatalf("text %q", v.Text)
			}
		}
	})
}
