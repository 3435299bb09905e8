package forge

import (
	"crypto/sha256"
	"encoding/hex"
)

const (
	maxIssueTitle = 256      // bytes
	maxIssueBody  = 32 << 10 // bytes
)

// IssueText prepares title and body of an issue for a model: cleaned, the title on one line of at most 256 bytes, the body at most 32
// KiB. Every reader of issues uses it, so that IssueSum is the same for all.
func IssueText(title, body string) (string, string) {
	return CleanLine(Clean(title, 4*maxIssueTitle), maxIssueTitle), Clean(body, maxIssueBody)
}

// IssueSum is a hash of what IssueText has returned: 32 hexadecimal digits. What IssueText removes does not change it.
func IssueSum(title, body string) string {
	sum := sha256.Sum256([]byte(title + "\x00" + body)) // a clean text contains no zero byte
	return hex.EncodeToString(sum[:16])
}
