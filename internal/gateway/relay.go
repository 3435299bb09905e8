package gateway

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// decoded returns the body of an answer, decompressed if the API used gzip without being asked. Other encodings are an
// error.
func decoded(resp *http.Response) (io.Reader, error) {
	switch coding := strings.Join(resp.Header["Content-Encoding"], ","); coding {
	case "", "identity":
		return resp.Body, nil
	case "gzip":
	default:
		return nil, fmt.Errorf("the answer has the encoding %s, which was not asked for", shown(coding))
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	return gzip.NewReader(resp.Body)
}

// relay streams the answer to the client. The call is settled before the last bytes are sent, so that a client that has
// seen the end of an answer finds the session's usage up to date. It fails when the answer breaks off upstream.
func (c *call) relay(w http.ResponseWriter, body io.Reader, length int64) error {
	control := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for total := int64(0); ; {
		n, err := body.Read(buf)
		total += int64(n)
		_, _ = c.answer.meter.Write(buf[:n])
		_, _ = c.answer.kept.Write(buf[:n])
		c.session.touch()
		c.note()
		if err != nil || total == length || c.answer.meter.ended() {
			c.answer.whole = c.answer.whole || err == nil || err == io.EOF
			c.finish()
		}
		if out := c.key.Pass(buf[:n], err != nil); len(out) > 0 {
			if _, werr := w.Write(out); werr != nil {
				return nil // the client is gone; returning cancels the call upstream
			}
			_ = control.Flush()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// noteEvery is how much output, in bytes, arrives between two notes of it in the ledger.
const noteEvery = 8 << 10

// note records the output of a stream that has arrived so far. Other answers arrive at their end.
func (c *call) note() {
	m, streams := c.answer.meter.(*streamMeter)
	if !streams || c.number == 0 || m.read.text-c.noted < noteEvery {
		return
	}
	c.noted = m.read.text
	c.session.account.arrived(c.number, c.noted)
}
