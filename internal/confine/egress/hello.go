package egress

import (
	"errors"
	"io"
)

// maxHello bounds the first message of a TLS client, in bytes. The largest real ones have about 2 KiB.
const maxHello = 32 << 10

var (
	errNotTLS   = errors.New("does not speak TLS")
	errNoName   = errors.New("names no host in its TLS hello")
	errHidden   = errors.New("hides the host in its TLS hello (ECH)")
	errBadHello = errors.New("sends a malformed TLS hello")
)

// isHello reports whether an error is about the hello itself rather than the connection.
func isHello(err error) bool {
	return errors.Is(err, errNotTLS) || errors.Is(err, errNoName) || errors.Is(err, errHidden) || errors.Is(err, errBadHello)
}

// Numbers of the TLS protocol.
const (
	recordHandshake      = 22
	messageClientHello   = 1
	extensionServerName  = 0
	extensionECH         = 0xfe0d
	extensionESNI        = 0xffce // the predecessor of ECH
	nameTypeHost         = 0
	maxRecord            = 1 << 14
	recordHeader         = 5
	helloHeader          = 4
	helloVersionAndNonce = 2 + 32
)

// readHello reads the client's first message. It returns the raw records and the host name in it, and leaves later
// records unread.
func readHello(r io.Reader) (raw []byte, name string, err error) {
	var message []byte
	for {
		var head [recordHeader]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return raw, "", err
		}
		length := int(head[3])<<8 | int(head[4])
		if head[0] != recordHandshake || head[1] != 3 || length == 0 || length > maxRecord {
			return raw, "", errNotTLS
		}
		if len(raw)+length > maxHello {
			return raw, "", errBadHello
		}
		start := len(raw) + recordHeader
		raw = append(append(raw, head[:]...), make([]byte, length)...)
		if _, err := io.ReadFull(r, raw[start:]); err != nil {
			return raw, "", err
		}
		message = append(message, raw[start:]...)
		if message[0] != messageClientHello {
			return raw, "", errNotTLS
		}
		if len(message) < helloHeader {
			continue
		}
		whole := helloHeader + (int(message[1])<<16 | int(message[2])<<8 | int(message[3]))
		switch {
		case whole > maxHello || len(message) > whole: // no other message may share its records
			return raw, "", errBadHello
		case len(message) == whole:
			name, err := serverName(message[helloHeader:])
			return raw, name, err
		}
	}
}

// serverName returns the host name in a hello. There must be exactly one.
func serverName(hello []byte) (string, error) {
	c := cursor{rest: hello}
	c.take(helloVersionAndNonce)
	c.vector(1) // session
	c.vector(2) // ciphers
	c.vector(1) // compressions
	extensions := cursor{rest: c.vector(2), bad: c.bad}
	if extensions.bad || len(c.rest) > 0 {
		return "", errBadHello
	}
	name, hidden := "", false
	for len(extensions.rest) > 0 && !extensions.bad {
		kind, body := extensions.number(2), extensions.vector(2)
		switch kind {
		case extensionECH, extensionESNI:
			hidden = true
		case extensionServerName:
			one, ok := oneName(body)
			if !ok || name != "" {
				return "", errBadHello
			}
			name = one
		}
	}
	switch {
	case extensions.bad:
		return "", errBadHello
	case hidden:
		return "", errHidden
	case name == "":
		return "", errNoName
	}
	return name, nil
}

// oneName parses a list of exactly one host name.
func oneName(body []byte) (string, bool) {
	c := cursor{rest: body}
	list := cursor{rest: c.vector(2)}
	kind, name := list.number(1), list.vector(2)
	ok := !c.bad && !list.bad && len(c.rest) == 0 && len(list.rest) == 0 && kind == nameTypeHost && len(name) > 0
	return string(name), ok
}

// cursor parses TLS's binary format. After the first invalid length it returns nothing more and is bad.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) take(n int) []byte {
	if c.bad || n > len(c.rest) {
		c.bad, c.rest = true, nil
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

// number reads an n-byte integer.
func (c *cursor) number(n int) int {
	v := 0
	for _, b := range c.take(n) {
		v = v<<8 | int(b)
	}
	return v
}

// vector reads bytes prefixed by their length, which has size bytes.
func (c *cursor) vector(size int) []byte { return c.take(c.number(size)) }
