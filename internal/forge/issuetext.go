package forge

import (
	"crypto/sha256"
	"encoding/hex"
)

const (
	maxIssueTitle = 256      // bytes
	maxIssueBody  = 32 << 10 // bytes
)

// IssueText is the title and the body of an issue as a model may read them: cleaned, the title on one line of at most 256 bytes, the
// body at most 32 KiB. Every reader of issues takes them from here, so that IssueSum is the same for all.
func IssueText(title, body string) (string, string) {
	return CleanLine(Clean(title, 4*maxIssueTitle), maxIssueTitle), Clean(body, maxIssueBody)
}

// IssueSum names what an issue says, given as IssueText has made it: 32 hexadecimal digits, others for another text. What IssueText
// leaves out does not count.
func IssueSum(title, body string) string {
	sum := sha256.Sum256([]byte(title + "\x00" + body)) // no clean text holds a zero
	return hex.EncodeToString(sum[:16])
}
