package httpclient

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

func TestBaseURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.example":         "",
		"https://api.example:8443/v1": "",
		"http://localhost:1":          "",
		"http://127.0.0.1:1":          "",
		"http://[::1]:1":              "",
		"http://api.example":          "in the clear",
		"http://127.0.0.1.example":    "in the clear",
		"ftp://api.example":           "in the clear",
		"api.example":                 "is not an address",
		"https://":                    "is not an address",
		"https://ann:pw@api.example":  "is not an address",
		"https://api.example?a=b":     "is not an address",
		"https://api.example#a":       "is not an address",
		"https://x\x7f":               "is not an address",
	} {
		u, err := BaseURL("Test", text)
		switch {
		case want == "" && (err != nil || u.String() != text):
			t.Errorf("%q: %v, %v", text, u, err)
		case want != "" && (err == nil || fault.KindOf(err) != fault.Input || !strings.HasPrefix(err.Error(), "Test URL") ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") || fault.HintOf(err) == ""):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
