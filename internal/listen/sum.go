package listen

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/longshift/longshift/internal/forge"
)

var (
	eventSum = func(forge.Event) string { return "" }
	issueSum = func(title, body string) string {
		sum := sha256.Sum256([]byte(title + "\x00" + body))
		return hex.EncodeToString(sum[:])
	}
)
