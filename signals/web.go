package signals

import (
	"net/url"
	"strings"
)

// WebURL is the page of a workflow in Temporal Web at base. An empty run means the newest. It is "" if base is not configured. Every part
// is escaped, because whoever starts a task chooses its id.
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
