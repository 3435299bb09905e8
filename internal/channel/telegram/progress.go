package telegram

// progress is how far a message was sent.
type progress struct {
	chat int64 // where the parts are
	ids  []int // of the parts sent so far
}
