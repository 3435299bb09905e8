package signals

import (
	"net/url"
	"strings"
)

// WebURL is the page of a workflow in Temporal Web, which is at base; run may be empty for the newest. It is "" when nobody has said
// where Temporal Web is. Whoever starts a task may choose its id, so every part is escaped.
func WebURL(base, namespace, id, run string) string {
	if base == "" {
		return ""
	}
	page := strings.TrimRight(base, "/") + "/namespaces/" + url.PathEscape(namespace) + "/workflows/" + url.PathEscape(id)
	if run != "" {
		page += "/" + url.PathEscape(run)
	}
	return page
}
