package forgetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
)

// conditional gives an answer to a GET its tag, and says "not modified" to a caller that has named it. GitHub does not count such
// a call. The tag is that of the body and of the token, so another token gets another one, but a list whose last page is full keeps it when
// another page follows.
func (g *GitHub) conditional(r *http.Request, a answer) answer {
	if r.Method != http.MethodGet || a.status != http.StatusOK {
		return a
	}
	data, err := json.Marshal(a.body)
	if err != nil {
		g.t.Errorf("write answer: %v", err)
	}
	tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(append(data, r.Header.Get("Authorization")...)))
	header := a.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		g.set(func() { g.allowance++ })
		return answer{status: http.StatusNotModified, header: header}
	}
	a.header = header
	return a
}
