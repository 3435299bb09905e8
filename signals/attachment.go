package signals

// Attachment is the workflow type that has the content of an image: its input is the bytes, as one payload that is not JSON. So the content
// is in no task's history, and reaches every host. It stays open as long as tasks use it, because the server forgets what has ended.
const Attachment = "Attachment"

// UseAttachment is the signal that says who uses an attachment. Its payload is an AttachmentUse.
const UseAttachment = "use"

// AttachmentUse is sent by whoever brings an image, before its task is started, and by the task when it begins and ends.
type AttachmentUse struct {
	Task  string `json:"task,omitempty"` // workflow id; empty while the task is not started
	Run   string `json:"run,omitempty"`  // id of its run
	Ended bool   `json:"ended,omitempty"`
}

// AttachmentID is the workflow id of an image's attachment, by the SHA-256 of the content in hex: the same content is kept once.
func AttachmentID(sum string) string { return "longshift-attachment-" + sum[:min(32, len(sum))] }
