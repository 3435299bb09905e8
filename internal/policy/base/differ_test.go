package base

import (
	"bytes"
	"context"
	"math/rand"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rounds is how many random scripts are tried; BASE_ROUNDS asks for more.
func rounds(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("BASE_ROUNDS"))
	if err != nil || n < 1 {
		return 200
	}
	return n
}

// tool finds a program that a test compares with. In CI it must be there.
func tool(t *testing.T, name, option, mark string) string {
	t.Helper()
	file, err := exec.LookPath(name)
	if err == nil {
		out, _ := exec.Command(file, option).CombinedOutput()
		if strings.Contains(string(out), mark) {
			return file
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s (%s)", name, mark)
	}
	t.Skipf("needs %s (%s)", name, mark)
	return ""
}

// output runs a program in an empty folder with no input, and gives all that it says.
func output(t *testing.T, file string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=/nonexistent", "LC_ALL=C", "MARK=hunter2"}
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		t.Fatalf("%s did not end", file)
	}
	return all.String()
}

// pieces makes a random text of the tokens.
func pieces(r *rand.Rand, tokens []string, most int) string {
	var b strings.Builder
	for n := 1 + r.Intn(most); n > 0; n-- {
		b.WriteString(tokens[r.Intn(len(tokens))])
	}
	return b.String()
}

// A script that the scanner lets pass must be one in which sed itself, in its sandbox, finds no command that runs or writes.
func TestSedScannerAgreesWithSed(t *testing.T) {
	sed := tool(t, "sed", "--version", "GNU sed")
	tokens := strings.Split("s|s/|s#|/|/|/|#|;|;|\n|\n|{|}|!|1|$|,|e|e id|w|w x|r|r x|W y|R z|a|i|c|\\|\\\n|[|]|[/]|[^/]|p|g|q|d|y/|b|:a|t|x|n|foo|&| | |I|M|0~2|\\,|,|+1|=|l|F|z|[[:alpha:]]|\\/|\\n|s/a/b/|s/a/b/e|s/a/b/w x|y/a/b/|/x/", "|")
	r := rand.New(rand.NewSource(20261120))
	passed := 0
	for range rounds(t) {
		script := pieces(r, tokens, 9)
		v := scanSed(script, true)
		if v.refuse != "" || len(v.reads) > 0 || scanSed(script, false).refuse == "deny" {
			continue
		}
		passed++
		if out := output(t, sed, "--sandbox", "-n", "-e", script); strings.Contains(out, "sandbox") {
			t.Errorf("%q passed, but sed says %s", script, out)
		}
	}
	t.Log(passed, "scripts passed")
	if passed < 10 {
		t.Errorf("only %d scripts passed; the comparison says nothing", passed)
	}
}

// reaches is what mawk's listing of a program says when the program runs something, opens something, or looks around.
var reaches = regexp.MustCompile(`\tsystem\b|\tENVIRON\b|pushint\t-[1-5]\n\d+ \.\t(print|printf|getline)`)

// A program that the scanner lets pass must be one in which mawk itself finds no command, file or pipe.
func TestAwkScannerAgreesWithAwk(t *testing.T) {
	mawk := tool(t, "mawk", "-Wversion", "mawk")
	tokens := strings.Split("{¦}¦{¦}¦print¦print ¦printf ¦>¦>¦>>¦|¦||¦\"sh\"¦\"x\"¦\"a/b\"¦system(\"id\")¦getline¦getline x¦<¦<¦/¦/¦/x/¦/[/]/¦/\"/¦(¦)¦(¦)¦;¦\n¦if(1)¦while(0)¦x¦y¦$1¦1¦2¦+¦-¦++¦--¦,¦ ¦ ¦!¦~¦\"¦#¦\\\n¦BEGIN¦END¦in¦a[1]¦=¦==¦>=¦&&¦?¦:¦return¦next¦exit¦else¦length¦(1)¦ENVIRON[\"H\"]", "¦")
	frames := []string{"BEGIN{%}", "{%}", "%{print}", "{print %}", "{print(%)}", "{if(%)print}", "{x=%}", "{%;%}", "{print % > \"x\"}", "%"}
	r := rand.New(rand.NewSource(20261120))
	passed := 0
	for range rounds(t) * 4 {
		program := frames[r.Intn(len(frames))]
		for strings.Contains(program, "%") {
			program = strings.Replace(program, "%", pieces(r, tokens, 6), 1)
		}
		if class, _ := scanAwk(program); class != "" {
			continue
		}
		passed++
		if out := output(t, mawk, "-Wdump", "--", program); reaches.MatchString(out) {
			t.Errorf("%q passed, but awk lists\n%s", program, out)
		}
	}
	if passed < 40 {
		t.Errorf("only %d programs passed; the comparison says nothing", passed)
	}
}

// A filter that the scanner lets pass must not show the environment when jq runs it.
func TestFilterScannerAgreesWithJq(t *testing.T) {
	jq := tool(t, "jq", "--version", "jq-")
	tokens := strings.Split("env¦env¦$ENV¦.env¦. env¦..env¦..¦.¦|¦|¦,¦\"¦\"¦\"x\"¦\"\\(¦\\(¦\\¦)¦(¦)¦#¦\n¦ ¦ ¦{¦}¦{env:1}¦{a:env}¦{env}¦{(env|tostring):1}¦:¦[¦]¦[env]¦;¦as $x¦$x¦def f: ¦f¦?¦//¦.a¦\"env\"¦@sh¦@base64 \"\\(env|tostring)\"¦tostring¦keys¦1", "¦")
	r := rand.New(rand.NewSource(20261120))
	passed := 0
	for range rounds(t) * 2 {
		text := pieces(r, tokens, 8)
		if scanFilter(text) != "" {
			continue
		}
		passed++
		if out := output(t, jq, "-n", text); strings.Contains(out, "hunter2") {
			t.Errorf("%q passed, but jq shows %s", text, out)
		}
	}
	if passed < 20 {
		t.Errorf("only %d filters passed; the comparison says nothing", passed)
	}
}
