package lab

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type Page struct {
	browser *Browser
	session string
}

// Open opens an address in a tab of this size, in pixels.
func (b *Browser) Open(address string, width, height int) *Page {
	b.t.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &Page{browser: b, session: attached.SessionID}
	b.call(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1,
		"mobile": false}, nil)
	p.Go(address)
	return p
}

// Go opens another address in the tab.
func (p *Page) Go(address string) {
	p.browser.t.Helper()
	p.browser.call(p.session, "Page.navigate", map[string]any{"url": address}, nil)
}

// Run runs a script in the page and gives the text it comes to.
func (p *Page) Run(script string) string {
	p.browser.t.Helper()
	var out struct {
		Result struct{ Value any }
	}
	p.browser.call(p.session, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &out)
	if out.Result.Value == nil {
		return ""
	}
	return fmt.Sprint(out.Result.Value)
}

// Click clicks what a person can see of these elements: the first one whose text begins so. It waits until there is one.
func (p *Page) Click(selector, text string) {
	p.browser.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.getClientRects().length && e.innerText.trim().startsWith(%q))`, selector, text)
	Eventually(p.browser.t, 30*time.Second, fmt.Sprintf("the page has %s %q", selector, text), func() bool { return p.Run("!!"+find) == "true" })
	p.Run(find + `.click()`)
}

// Type types into what has the focus.
func (p *Page) Type(text string) {
	p.browser.t.Helper()
	p.browser.call(p.session, "Page.bringToFront", nil, nil)
	p.browser.call(p.session, "Input.insertText", map[string]any{"text": text}, nil)
}

// Text is what a person can read on the page, its frames included.
func (p *Page) Text() string {
	p.browser.t.Helper()
	return p.Run(`[document, ...[...document.querySelectorAll('iframe')].map(f => f.contentDocument)]
		.map(d => d && d.body ? d.body.innerText : '').join('\n')`)
}

// Shows waits until a person can read each of the texts on the page, and gives all that can be read then.
func (p *Page) Shows(texts ...string) (text string) {
	p.browser.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		text = p.Text()
		missing := slices.DeleteFunc(slices.Clone(texts), func(want string) bool { return strings.Contains(text, want) })
		if len(missing) == 0 {
			return text
		}
		select {
		case <-deadline.C:
			p.browser.t.Fatalf("the page does not show %q; it shows:\n%s", missing, text)
		case <-tick.C:
		}
	}
}

// Screenshot writes what the page looks like into a PNG: to a file of that name in the folder that LONGSHIFT_SCREENSHOTS
// names, or in one that the test removes.
func (p *Page) Screenshot(name string) string {
	p.browser.t.Helper()
	dir := os.Getenv("LONGSHIFT_SCREENSHOTS")
	if dir == "" {
		dir = p.browser.t.TempDir()
	}
	p.browser.call(p.session, "Page.bringToFront", nil, nil) // what is not in front is not drawn
	var shot struct{ Data string }
	p.browser.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	file := filepath.Join(dir, name+".png")
	if err == nil {
		err = os.WriteFile(file, png, 0o644)
	}
	if err != nil {
		p.browser.t.Fatalf("keep the screenshot: %v", err)
	}
	return file
}
