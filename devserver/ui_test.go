package devserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestTemporalWeb(t *testing.T) {
	p := launch(t, "--port", "0", "--http-port", "0", "--ui-public-path", "/temporal/")
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

// A page in the operator's browser calls every address of the machine that it likes: by a name of its own that it has turned to
// 127.0.0.1 (DNS rebinding), or by ours, from its own site. Neither starts a workflow, opens a socket or reads anything.
func TestPagesOfOthersReachNothing(t *testing.T) {
	p := launch(t, "--port", "0", "--http-port", "0", "--ui-host", "temporal.example.com")
	web := strings.TrimPrefix(p.printed["Temporal UI"], "http://")
	api := p.printed["Temporal HTTP"]
	const start = `{"workflowType": {"name": "CodingTask"}, "taskQueue": {"name": "longshift"}, "requestId": "1"}`
	n := 0
	try := func(address string, header ...string) (status int, started bool) {
		n++
		id := fmt.Sprintf("page-%d", n)
		request := newRequest(t, http.MethodPost, "http://"+address+"/api/v1/namespaces/default/workflows/"+id, start, header...)
		// What a browser does with the cookie that the server gives to its pages.
		request.Header.Set("Cookie", "_csrf=0123456789abcdef")
		request.Header.Set("X-Csrf-Token", "0123456789abcdef")
		status, _ = do(t, request)
		_, err := p.dial("default").DescribeWorkflowExecution(t.Context(), id, "")
		return status, err == nil
	}
	port := web[strings.LastIndex(web, ":"):]
	for _, c := range []struct {
		name, address string
		header        []string
		started       bool
	}{
		{"Temporal Web, its own page", web, []string{"Origin", "http://" + web, "Sec-Fetch-Site", "same-origin"}, true},
		{"Temporal Web, its page behind a proxy", web, []string{"Host", "temporal.example.com", "Origin", "https://temporal.example.com", "Sec-Fetch-Site", "same-origin"}, true},
		{"Temporal Web, a program", web, nil, true},
		{"Temporal Web, a name turned to us", web, []string{"Host", "attacker.example" + port, "Origin", "http://attacker.example" + port, "Sec-Fetch-Site", "same-origin"}, false},
		{"Temporal Web, that name in an old browser", web, []string{"Host", "attacker.example" + port}, false},
		{"Temporal Web, another site", web, []string{"Origin", "https://attacker.example", "Sec-Fetch-Site", "cross-site"}, false},
		{"Temporal Web, another port", web, []string{"Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"}, false},
		{"Temporal Web, another port in an old browser", web, []string{"Origin", "http://localhost:3000"}, false},
		{"HTTP API, a program", api, nil, true},
		{"HTTP API, a name turned to us", api, []string{"Host", "attacker.example:80"}, false},
		{"HTTP API, that name with a borrowed one", api, []string{"Host", "attacker.example:80", "X-Forwarded-Host", api}, false},
		{"HTTP API, another site's simple request", api, []string{"Origin", "https://attacker.example", "Content-Type", "text/plain"}, false},
	} {
		if status, started := try(c.address, c.header...); started != c.started {
			t.Errorf("%s: answered %d, started %v, want %v", c.name, status, started, c.started)
		}
	}
	for _, header := range [][]string{
		{"Host", "attacker.example" + port},
		{"Upgrade", "websocket", "Connection", "Upgrade", "Origin", "https://attacker.example"},
	} {
		if status, _ := do(t, newRequest(t, http.MethodGet, "http://"+web+"/api/v1/namespaces", "", header...)); status < 400 {
			t.Errorf("a look with %q: %d", header, status)
		}
	}
	// No browser speaks what the gRPC port takes.
	response, err := http.DefaultClient.Do(newRequest(t, http.MethodPost, "http://"+p.printed["Temporal Server"]+"/", start))
	if err == nil {
		response.Body.Close()
		t.Errorf("the gRPC port answers HTTP/1.1: %s", response.Status)
	}
}

// What nobody has asked for does not listen.
func TestOnlyWhatIsAskedForListens(t *testing.T) {
	p, lines := spawn(t, "--port", "0", "--headless")
	for line := range lines {
		if label, value, ok := strings.Cut(line, ":"); ok {
			p.printed[label] = strings.TrimSpace(value)
		}
		if p.printed["Temporal Persistence"] != "" {
			break
		}
	}
	p.stop(syscall.SIGTERM)
	for line := range lines {
		if strings.Contains(line, "HTTP") || strings.Contains(line, "Metrics") {
			t.Errorf("printed %q", line)
		}
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
	var header []string
	if contentType != "" {
		header = []string{"Accept", contentType}
	}
	request := newRequest(t, http.MethodGet, url, "", header...)
	status, response := do(t, request)
	if got := response.header.Get("Content-Type"); status != http.StatusOK || !strings.HasPrefix(got, contentType) {
		t.Fatalf("GET %s: %d, %s; want 200 and %s: %.300s", url, status, got, contentType, response.body)
	}
	return response.body
}

func newRequest(t *testing.T, method, url, body string, header ...string) *http.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
		request.Header.Del("Host")
	}
	return request
}

type answer struct {
	header http.Header
	body   string
}

func do(t *testing.T, request *http.Request) (status int, a answer) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", request.Method, request.URL, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", request.Method, request.URL, err)
	}
	return response.StatusCode, answer{response.Header, string(body)}
}
