package egress

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// maxHeader bounds a request's header, in bytes.
const maxHeader = 32 << 10

// request is a parsed header. Its syntax is checked, nothing else.
type request struct {
	method, target string
	fields         []field
}

type field struct{ name, value string } // name in lower case

var errHeader = errors.New("is no proper HTTP header")

// readRequest parses a header strictly: anything that two programs could read differently is an error. Errors of the
// connection are returned unchanged.
func readRequest(r *bufio.Reader) (*request, error) {
	left := maxHeader
	line, err := readLine(r, &left)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(line, " ")
	if len(parts) != 3 || !token(parts[0]) || parts[1] == "" || parts[2] != "HTTP/1.1" && parts[2] != "HTTP/1.0" {
		return nil, errHeader
	}
	q := &request{method: parts[0], target: parts[1]}
	for {
		line, err := readLine(r, &left)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return q, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !token(name) { // a continuation line begins with a space, so its name is invalid
			return nil, errHeader
		}
		q.fields = append(q.fields, field{strings.ToLower(name), strings.Trim(value, " \t")})
	}
}

// readLine reads up to CR LF. A lone CR or LF, NUL and other control characters are errors.
func readLine(r *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		c, err := r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && (len(line) > 0 || *left < maxHeader) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if *left--; *left < 0 {
			return "", errHeader
		}
		switch {
		case c == '\n':
			if len(line) == 0 || line[len(line)-1] != '\r' {
				return "", errHeader
			}
			return string(line[:len(line)-1]), nil
		case len(line) > 0 && line[len(line)-1] == '\r', c < ' ' && c != '\r' && c != '\t', c == 0x7f:
			return "", errHeader
		}
		line = append(line, c)
	}
}

// token reports whether a text is a token in HTTP's grammar.
func token(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

func (q *request) all(name string) []string {
	var values []string
	for _, f := range q.fields {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

// authority is the host and port that a client asks for.
type authority struct {
	raw  string // for messages
	host string // normalized
	port int
}

// parseAuthority parses host:port. usual is the default port; 0 makes the port required.
func parseAuthority(s string, usual int) (authority, *refusal) {
	a := authority{raw: s, port: usual}
	switch {
	case strings.Contains(s, "@"):
		return a, deny(s, 0, "has a user name in it; no setting allows that")
	case strings.HasPrefix(s, "["):
		return a, deny(s, 0, "is an address, not a name; no setting allows that")
	}
	host, port, ok := strings.Cut(s, ":")
	if ok {
		n, valid := parsePort(port)
		if !valid {
			return a, deny(s, 0, "has no proper port")
		}
		a.port = n
	} else if usual == 0 {
		return a, deny(s, 0, "has no port")
	}
	a.raw = host
	name, why := hostName(host)
	if why != "" {
		return a, deny(host, a.port, "%s; no setting allows that", why)
	}
	a.host = name
	return a, nil
}
