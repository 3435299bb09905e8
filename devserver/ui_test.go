package devserver_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestTemporalWeb(t *testing.T) {
	p := launch(t, "--port", "0", "--ui-public-path", "/temporal/")
	url := p.printed["Temporal UI"]
	if !strings.HasSuffix(url, "/temporal") {
		t.Fatalf("printed UI address %q, want it with its path", url)
	}
	// A page that loads the application, from under the same path, and the application is there.
	page := get(t, url+"/namespaces/default/workflows", "text/html")
	script := regexp.MustCompile(`import\("/temporal(/_app/[^"]+/app\.[^"]+\.js)"\)`).FindStringSubmatch(page)
	if script == nil {
		t.Fatalf("page does not start Temporal Web: %s", page)
	}
	if code := get(t, url+script[1], "text/javascript"); code == "" {
		t.Error("the application is empty")
	}
	// The page's own API reaches the server behind it.
	if answer := get(t, url+"/api/v1/namespaces/default", "application/json"); !strings.Contains(answer, "NAMESPACE_STATE_REGISTERED") {
		t.Errorf("API answered %.300s", answer)
	}
	if metrics := get(t, p.printed["Temporal Metrics"], "text/plain"); !strings.Contains(metrics, "service_requests") {
		t.Errorf("metrics without requests: %.300s", metrics)
	}
	if answer := get(t, "http://"+p.printed["Temporal HTTP"]+"/api/v1/namespaces/default", ""); !strings.Contains(answer, "NAMESPACE_STATE_REGISTERED") {
		t.Errorf("HTTP API answered %.300s", answer)
	}
}

func TestHeadless(t *testing.T) {
	p := launch(t, "--port", "0", "--headless")
	if url, ok := p.printed["Temporal UI"]; ok {
		t.Errorf("headless, but printed a UI at %s", url)
	}
}

func get(t *testing.T, url, contentType string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		request.Header.Set("Accept", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), contentType) {
		t.Fatalf("GET %s: %s, %s; want 200 and %s: %.300s", url, response.Status, response.Header.Get("Content-Type"), contentType, body)
	}
	return string(body)
}
