package signals

import "testing"

func TestWebURL(t *testing.T) {
	for want, got := range map[string]string{
		"": WebURL("", "default", "a", "r") + WebListURL("", "default", NeedsPeople),
		"https://t.example.com/x/namespaces/my%20own/workflows/ann%2Fcalc%20%237/r1/user-metadata": WebURL("https://t.example.com/x/", "my own", "ann/calc #7", "r1"),
		"http://localhost:8233/namespaces/default/workflows/a":                                     WebURL("http://localhost:8233", "default", "a", ""),
		"http://localhost:8233/namespaces/default/workflows?query=LongshiftNeedsHuman+%3D+true+AND+ExecutionStatus+%3D+%27Running%27": WebListURL(
			"http://localhost:8233", "default", NeedsPeople),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
