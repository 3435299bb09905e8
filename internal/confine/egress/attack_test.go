package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
)

const nl = "\r\n"

// Each request must get a 403, without a connection or a name lookup: lookups alone can carry data out.
func TestAttacksOnTheRequest(t *testing.T) {
	d := newDoor(t, Config{Rules: []Rule{
		{Host: "registry.test"}, {Host: "*.wild.test"}, {Host: "mirror.test", Plain: true}, {Host: "bücher.test"},
	}}, nil).listen(t)
	connect := func(target string) string {
		return "CONNECT " + target + " HTTP/1.1" + nl + "Host: registry.test:443" + nl + nl
	}
	plain := func(target, fields string) string { return "GET " + target + " HTTP/1.1" + nl + fields + nl + nl }
	for name, c := range map[string]struct{ raw, why string }{
		"unlisted":                   {connect("evil.test:443"), "evil.test:443 is not a listed host; the operator can add it to LONGSHIFT_REGISTRIES"},
		"listed as a beginning":      {connect("registry.test.evil.test:443"), "is not a listed host"},
		"listed as an end":           {connect("evilregistry.test:443"), "is not a listed host"},
		"below an exact name":        {connect("a.registry.test:443"), "is not a listed host"},
		"domain of a pattern":        {connect("wild.test:443"), "is not a listed host"},
		"end of a pattern":           {connect("evilwild.test:443"), "is not a listed host"},
		"pattern as a name":          {connect("*.wild.test:443"), "is no host name"},
		"empty label":                {connect(".wild.test:443"), "is no host name"},
		"port":                       {connect("registry.test:22"), "registry.test:22 is listed for other ports"},
		"port 80 in a tunnel":        {connect("mirror.test:80"), "is listed for another scheme"},
		"port with a zero":           {connect("registry.test:0443"), "has no proper port"},
		"port with a sign":           {connect("registry.test:+443"), "has no proper port"},
		"port too large":             {connect("registry.test:65979"), "has no proper port"}, // 443 in 16 bits
		"two ports":                  {connect("registry.test:443:22"), "has no proper port"},
		"no port":                    {connect("registry.test"), "has no port"},
		"user name":                  {connect("registry.test@evil.test:443"), "has a user name in it"},
		"user name the other way":    {connect("evil.test@registry.test:443"), "has a user name in it"},
		"localhost as a user":        {connect("localhost@evil.test:443"), "has a user name in it"},
		"IPv4":                       {connect("127.0.0.1:443"), "is an address, not a name"},
		"metadata":                   {connect("169.254.169.254:443"), "is an address, not a name"},
		"IPv4 in short":              {connect("127.1:443"), "is an address, not a name"},
		"IPv4 as one number":         {connect("2130706433:443"), "is an address, not a name"},
		"IPv4 in hex":                {connect("0x7f000001:443"), "is an address, not a name"},
		"IPv4 in octal":              {connect("0177.0.0.01:443"), "is an address, not a name"},
		"IPv4 with a dot":            {connect("127.0.0.1.:443"), "is an address, not a name"},
		"IPv6":                       {connect("[::1]:443"), "is an address, not a name"},
		"IPv6 with a zone":           {connect("[fe80::1%25eth0]:443"), "is an address, not a name"},
		"two dots at the end":        {connect("registry.test..:443"), "is no host name"},
		"NUL":                        {connect("registry.test\x00.evil.test:443"), "is no proper HTTP header"},
		"percent NUL":                {connect("registry.test%00.evil.test:443"), "is no host name"},
		"backslash":                  {connect(`registry.test\.evil.test:443`), "is no host name"},
		"path":                       {connect("registry.test/evil.test:443"), "is no host name"},
		"Cyrillic letter":            {connect("rеgistry.test:443"), "is not in its ASCII form"},
		"homoglyph in punycode":      {connect("xn--rgistry-3fg.test:443"), "is not a listed host"},
		"listed name not in ASCII":   {connect("bücher.test:443"), "is not in its ASCII form"},
		"full-width letters":         {connect("ｒegistry.test:443"), "is not in its ASCII form"},
		"ideographic stop":           {connect("registry。test:443"), "is not in its ASCII form"},
		"soft hyphen":                {connect("regi\u00adstry.test:443"), "is not in its ASCII form"},
		"escape":                     {connect("\x1b[2Jevil.test:443"), "is no proper HTTP header"},
		"very long":                  {connect(strings.Repeat("a", 5000) + ":443"), "is no host name"},
		"space":                      {connect("registry.test:443 evil.test:443"), "is no proper HTTP header"},
		"tab":                        {connect("registry.test:443\tx"), "has no proper port"},
		"lone LF":                    {"CONNECT registry.test:443 HTTP/1.1\nHost: evil.test\n\n", "is no proper HTTP header"},
		"lone CR":                    {"CONNECT evil.test:443 HTTP/1.1\rHost: a" + nl + nl, "is no proper HTTP header"},
		"other version":              {"CONNECT registry.test:443 HTTP/2.0" + nl + nl, "is no proper HTTP header"},
		"HTTP/2 preface":             {"PRI * HTTP/2.0" + nl + nl + "SM" + nl + nl, "is no proper HTTP header"},
		"not HTTP":                   {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "is no proper HTTP header"},
		"SOCKS":                      {"\x05\x01\x00", "is no proper HTTP header"},
		"folded field":               {"CONNECT registry.test:443 HTTP/1.1" + nl + "A: b" + nl + " c" + nl + nl, "is no proper HTTP header"},
		"space before the colon":     {"CONNECT registry.test:443 HTTP/1.1" + nl + "Host : a" + nl + nl, "is no proper HTTP header"},
		"header without end":         {"CONNECT registry.test:443 HTTP/1.1" + nl + strings.Repeat("A: "+strings.Repeat("b", 1000)+nl, 40), "is no proper HTTP header"},
		"method in small letters":    {"connect registry.test:443 HTTP/1.1" + nl + nl, "is asked for in a way that this proxy has not"},
		"origin form":                {plain("/", "Host: mirror.test"), "is asked for in a way that this proxy has not"},
		"https in the clear":         {plain("https://registry.test/", "Host: registry.test"), "is asked for in a way that this proxy has not"},
		"file":                       {plain("file:///etc/passwd", "Host: mirror.test"), "is asked for in a way that this proxy has not"},
		"plain, unlisted":            {plain("http://evil.test/", "Host: evil.test"), "evil.test:80 is not a listed host"},
		"plain, listed for TLS":      {plain("http://registry.test/", "Host: registry.test"), "is listed for another scheme"},
		"plain, port of TLS":         {plain("http://mirror.test:443/", "Host: mirror.test:443"), "is listed for other ports"},
		"plain, other Host":          {plain("http://mirror.test/", "Host: evil.test"), "the Host field names evil.test"},
		"plain, other port in Host":  {plain("http://mirror.test/", "Host: mirror.test:81"), "the Host field names"},
		"plain, no Host":             {plain("http://mirror.test/", "A: b"), "has 0 Host fields"},
		"plain, two Hosts":           {plain("http://mirror.test/", "Host: mirror.test"+nl+"Host: evil.test"), "has 2 Host fields"},
		"plain, user name":           {plain("http://mirror.test@evil.test/", "Host: mirror.test"), "has a user name in it"},
		"plain, user with password":  {plain("http://a:b@mirror.test/", "Host: mirror.test"), "has a user name in it"},
		"plain, address":             {plain("http://127.0.0.1/", "Host: 127.0.0.1"), "is an address, not a name"},
		"plain, question mark":       {plain("http://evil.test?http://mirror.test/", "Host: mirror.test"), "the Host field names"},
		"plain, hash":                {plain("http://mirror.test#@evil.test/", "Host: mirror.test"), "the path is malformed"},
		"plain, backslash":           {plain(`http://mirror.test\@evil.test/`, "Host: mirror.test"), "has a user name in it"},
		"plain, chunks":              {plain("http://mirror.test/", "Host: mirror.test"+nl+"Transfer-Encoding: chunked"), "no plain length"},
		"plain, chunks and a length": {plain("http://mirror.test/", "Host: mirror.test"+nl+"Content-Length: 3"+nl+"transfer-encoding: x"), "no plain length"},
		"plain, two lengths":         {plain("http://mirror.test/", "Host: mirror.test"+nl+"Content-Length: 3"+nl+"Content-Length: 4"), "no plain length"},
		"plain, negative length":     {plain("http://mirror.test/", "Host: mirror.test"+nl+"Content-Length: -1"), "is no number"},
		"plain, other script":        {plain("http://mirror.test/ä", "Host: mirror.test"), "the path is malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(d.seen(&d.denied))
			answer := d.ask(t, c.raw)
			head, body, _ := strings.Cut(answer, nl+nl)
			if !strings.HasPrefix(head, "HTTP/1.1 403 longshift: ") || !strings.Contains(body, c.why) || strings.Count(body, "\n") != 1 {
				t.Errorf("answer %q, want 403 with %q", answer, c.why)
			}
			if strings.ContainsFunc(head+body, func(r rune) bool { return r > 0x7e || r < ' ' && r != '\r' && r != '\n' }) {
				t.Errorf("the answer holds raw bytes: %q", answer)
			}
			if denied := d.seen(&d.denied); len(denied) != before+1 || !strings.Contains(denied[before], c.why) {
				t.Errorf("reported %q", denied[before:])
			}
		})
	}
	if d.resolver.asked != nil || d.dialed != nil || d.opened != nil {
		t.Errorf("asked %q, dialled %q, opened %q", d.resolver.asked, d.dialed, d.opened)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		addresses []string
		internal  bool
		why       string // "" means that it is dialled
	}{
		"public":              {[]string{"93.184.215.14"}, false, ""},
		"public IPv6":         {[]string{"2606:2800:21f::1"}, false, ""},
		"public through NAT":  {[]string{"64:ff9b::5db8:d70e"}, false, ""},
		"loopback":            {[]string{"127.0.0.1"}, false, "private address; the operator can mark it internal in LONGSHIFT_REGISTRIES"},
		"private":             {[]string{"10.1.2.3"}, false, "private address"},
		"one of two":          {[]string{"93.184.215.14", "192.168.0.1"}, false, "private address"},
		"carrier NAT":         {[]string{"100.64.0.1"}, false, "private address"},
		"IPv6 loopback":       {[]string{"::1"}, false, "private address"},
		"unique local":        {[]string{"fd12::1"}, false, "private address"},
		"mapped":              {[]string{"::ffff:127.0.0.1"}, false, "private address"},
		"compatible":          {[]string{"::7f00:1"}, false, "private address"},
		"NAT64":               {[]string{"64:ff9b::7f00:1"}, false, "private address"},
		"6to4":                {[]string{"2002:7f00:1::1"}, false, "private address"},
		"Teredo":              {[]string{"2001:0:1::1"}, false, "private address"},
		"this network":        {[]string{"0.0.0.0"}, false, "never allowed"},
		"metadata":            {[]string{"169.254.169.254"}, false, "never allowed; no setting allows that"},
		"metadata, internal":  {[]string{"169.254.169.254"}, true, "never allowed"},
		"metadata in NAT64":   {[]string{"64:ff9b::a9fe:a9fe"}, true, "never allowed"},
		"metadata, IPv6":      {[]string{"fd00:ec2::254"}, true, "never allowed"},
		"metadata elsewhere":  {[]string{"100.100.100.200"}, true, "never allowed"},
		"wire server":         {[]string{"168.63.129.16"}, false, "never allowed"},
		"link-local":          {[]string{"fe80::1"}, true, "never allowed"},
		"with a zone":         {[]string{"fe80::1%eth0"}, true, "link-local"},
		"multicast":           {[]string{"224.0.0.1"}, true, "never allowed"},
		"broadcast":           {[]string{"255.255.255.255"}, true, "never allowed"},
		"any":                 {[]string{"::"}, true, "never allowed"},
		"private, internal":   {[]string{"10.1.2.3"}, true, ""},
		"loopback, internal":  {[]string{"::1"}, true, ""},
		"no address":          {nil, false, "can't be resolved"},
		"mapped and internal": {[]string{"::ffff:10.0.0.1"}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, Config{
				Rules: []Rule{{Host: "registry.test", Internal: c.internal}},
				Dial:  func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe },
			}, map[string][]string{"registry.test": c.addresses}).listen(t)
			answer := d.ask(t, "CONNECT registry.test:443 HTTP/1.1"+nl+nl)
			want := c.why
			if want == "" {
				want = "can't be reached"
			}
			if !strings.Contains(answer, want) || (len(d.seen(&d.dialed)) > 0) != (c.why == "") {
				t.Errorf("answer %q, dialled %q, want %q", answer, d.dialed, want)
			}
		})
	}
}

// If a name resolves to another address the second time, the checked address is still dialled: there is no second
// lookup. The families of addresses take turns.
func TestTheCheckedAddressIsDialled(t *testing.T) {
	d := newDoor(t, Config{
		Rules: []Rule{{Host: "registry.test"}},
		Dial:  func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe },
	}, map[string][]string{"registry.test": {"93.184.215.14", "93.184.215.15", "2606::1", "93.184.215.16", "93.184.215.17"}}).listen(t)
	d.ask(t, "CONNECT registry.test:443 HTTP/1.1"+nl+nl)
	want := []string{"93.184.215.14:443", "[2606::1]:443", "93.184.215.15:443", "93.184.215.16:443"}
	if got := d.seen(&d.dialed); !slices.Equal(got, want) || len(d.resolver.asked) != 1 {
		t.Errorf("dialled %q after %d look-ups", got, len(d.resolver.asked))
	}
}

// A repeated error is logged once.
func TestATroubleIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	d := newDoor(t, Config{
		Rules: []Rule{{Host: "registry.test"}, {Host: "mirror.test"}},
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
	}, nil).listen(t)
	for _, host := range []string{"registry.test", "registry.test", "mirror.test"} {
		d.ask(t, "CONNECT "+host+":443 HTTP/1.1"+nl+nl)
	}
	d.Close()
	if got := strings.Count(log.String(), "level=WARN"); got != 2 {
		t.Errorf("%d lines for two hosts:\n%s", got, log.String())
	}
}

// records splits a message into TLS records of n bytes.
func records(message []byte, n int) []byte {
	var out []byte
	for part := range slices.Chunk(message, n) {
		out = append(append(out, recordHandshake, 3, 1, byte(len(part)>>8), byte(len(part))), part...)
	}
	return out
}

func TestTheNameInTheHello(t *testing.T) {
	good := clientHello(t, "registry.test", nil)
	message := good[recordHeader:]
	for name, c := range map[string]struct {
		sent []byte
		why  string // "" means that it is allowed
	}{
		"the same":            {good, ""},
		"in pieces":           {records(message, 7), ""},
		"capitals":            {clientHello(t, "Registry.TEST", nil), ""},
		"old version":         {clientHello(t, "registry.test", func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), ""},
		"fronting":            {clientHello(t, "evil.test", nil), "asks for evil.test inside the tunnel"},
		"another listed host": {clientHello(t, "other.test", nil), "asks for other.test inside the tunnel"},
		"no name":             {clientHello(t, "", nil), "names no host"},
		"an address":          {clientHello(t, "127.0.0.1", nil), "names no host"},
		"hidden":              {withExtension(good, extensionECH), "hides the host"},
		"hidden the old way":  {withExtension(good, extensionESNI), "hides the host"},
		"two names":           {withExtension(good, extensionServerName), "malformed"},
		"HTTP":                {[]byte("GET / HTTP/1.1\r\nHost: registry.test\r\n\r\n"), "does not speak TLS"},
		"SSH":                 {[]byte("SSH-2.0-OpenSSH_9.2\r\n"), "does not speak TLS"},
		"TLS data first":      {append([]byte{23}, good[1:]...), "does not speak TLS"},
		"another message":     {records(append([]byte{2}, message[1:]...), 1000), "does not speak TLS"},
		"something behind it": {records(append(slices.Clone(message), message...), 10_000), "malformed"},
		"too long":            {records(append([]byte{1, 1, 0, 0}, make([]byte, 1<<16)...), 10_000), "malformed"},
		"length is a lie":     {records(append([]byte{1, 0, 0, 50}, message[4:54]...), 1000), "malformed"},
		"empty record":        {append([]byte{22, 3, 1, 0, 0}, good...), "does not speak TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			received := make(chan []byte, 1)
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				all, _ := io.ReadAll(conn)
				received <- all
			}()
			port := l.Addr().(*net.TCPAddr).Port
			d := newDoor(t, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}, {Host: "other.test", Ports: []int{port}, Internal: true}}},
				map[string][]string{"registry.test": loopback}).listen(t)
			conn := d.tunnelTo(t, fmt.Sprintf("registry.test:%d", port))
			if _, err := conn.Write(c.sent); err != nil {
				t.Fatal(err)
			}
			if c.why == "" {
				_ = conn.(buffered).CloseWrite()
				if got := <-received; !bytes.Equal(got, c.sent) {
					t.Errorf("the host got %d bytes, want the %d of the hello", len(got), len(c.sent))
				}
				return
			}
			alert, _ := io.ReadAll(conn)
			if !bytes.Equal(alert, []byte{21, 3, 3, 0, 2, 2, 112}) {
				t.Errorf("the client got %q", alert)
			}
			if got := <-received; len(got) > 0 {
				t.Errorf("the host got %q", got)
			}
			if got := d.seen(&d.denied); len(got) != 1 || !strings.Contains(got[0], c.why) {
				t.Errorf("reported %q, want %q", got, c.why)
			}
		})
	}
}

// withExtension appends another extension with the content of a name list to a hello.
func withExtension(hello []byte, kind int) []byte {
	m := slices.Clone(hello[recordHeader:])
	c := cursor{rest: m[helloHeader:]}
	c.take(helloVersionAndNonce)
	c.vector(1)
	c.vector(2)
	c.vector(1)
	at := len(m) - len(c.rest)
	extra := []byte{byte(kind >> 8), byte(kind), 0, 14, 0, 12, 0, 0, 9, 'e', 'v', 'i', 'l', '.', 't', 'e', 's', 't'}
	m = append(m, extra...)
	grow := func(i int) {
		n := (int(m[i])<<8 | int(m[i+1])) + len(extra)
		m[i], m[i+1] = byte(n>>8), byte(n)
	}
	grow(at)
	grow(2)
	return records(m, maxRecord)
}
