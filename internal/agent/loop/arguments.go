package loop

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// arguments are the arguments of a tool call.
type arguments struct {
	canonical []byte // the same text for every spelling of the same value
	command   string // a shell's command line, else ""
	subject   string // what identifies the call to a person: a command, a path
}

// parse parses arguments. Numbers keep their spelling, because 1 and 1.0 may differ for a tool.
func parse(tool string, input []byte) arguments {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return arguments{canonical: input}
	}
	if _, err := dec.Token(); err != io.EOF {
		return arguments{canonical: input}
	}
	var a arguments
	if object, ok := value.(map[string]any); ok {
		if isShell(tool) {
			a.command, _ = object["command"].(string)
			delete(object, "description") // has no effect, and models word it differently each time
		}
		a.subject = subject(object)
	}
	encoded, err := json.Marshal(value) // sorts keys
	if err != nil {
		encoded = input
	}
	a.canonical = encoded
	return a
}

// subject picks the argument that best identifies a call.
func subject(object map[string]any) string {
	for _, key := range []string{"command", "file_path", "path", "notebook_path", "pattern", "query", "url"} {
		if s, ok := object[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// hash includes the length of the name, so that tool and arguments can't be confused.
func (a arguments) hash(tool string) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(strconv.Itoa(len(tool)) + ":" + tool))
	h.Write(a.canonical)
	return [sha256.Size]byte(h.Sum(nil))
}

// shown describes the call on one line.
func (a arguments) shown(tool string) string {
	if a.subject == "" {
		return short(tool, 40)
	}
	return short(tool, 40) + " `" + short(a.subject, 80) + "`"
}

// short makes a text one printable line of at most n runes.
func short(s string, n int) string {
	var b strings.Builder
	for i, r := range []rune(head(s, n*utf8.UTFMax)) {
		if i == n {
			b.WriteString("…")
			break
		}
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// head is the beginning of a possibly very long text, with one rune more than is shown.
func head(s string, n int) string {
	if len(s) > n+utf8.UTFMax {
		return s[:n+utf8.UTFMax]
	}
	return s
}
