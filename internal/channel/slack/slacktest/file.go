package slacktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// File is a file that people see.
type File struct {
	Thread  string // TS of the message that it replies to, or ""
	Name    string
	Comment string // as people see it
	Text    string
}

// files come in three calls: announced, then sent, then shown in a conversation.
type files struct {
	*shared
	talk    *conversations
	uploads map[string]*upload // by id
}

// upload is a file on its way: announced, then sent, then shown.
type upload struct {
	name string
	size int
	text string
	sent bool
}

// mostFile bounds files in this simulation, in bytes; Slack takes up to 1 GB.
const mostFile = 16 << 20

// Files returns the files in a channel, including its threads, oldest first.
func (c *conversations) Files(channel string) (list []File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages {
		if m.channel == channel && m.file != nil {
			var l look
			list = append(list, File{Thread: m.thread, Name: m.file.name, Comment: l.read(m.text), Text: m.file.text})
		}
	}
	return list
}

func (f *files) announce(p params) (map[string]any, string) {
	size, err := strconv.Atoi(p.need("length"))
	if err != nil || size < 1 || size > mostFile || len(p.need("filename")) > 255 {
		f.t.Errorf("file %q of %q bytes", p.values["filename"], p.values["length"])
		return nil, "invalid_arguments"
	}
	id := fmt.Sprintf("F%d", len(f.uploads)+1)
	f.uploads[id] = &upload{name: p.values["filename"], size: size}
	return map[string]any{"upload_url": f.root + "/upload/" + id, "file_id": id}, ""
}

// upload takes the content of a file, in a form with one file. Like Slack, it answers in plain text.
func (f *files) upload(w http.ResponseWriter, r *http.Request, p params) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.uploads[strings.TrimPrefix(r.URL.Path, "/upload/")]
	if u == nil || u.sent {
		http.Error(w, "no such upload", http.StatusNotFound)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(p.body))
	part, head, err := r.FormFile("file")
	if err != nil {
		f.t.Errorf("upload: %v", err)
		http.Error(w, "no file", http.StatusBadRequest)
		return
	}
	text, err := io.ReadAll(part)
	if err != nil || len(text) != u.size || head.Filename != u.name {
		f.t.Errorf("upload of %q with %d bytes, announced were %q and %d: %v", head.Filename, len(text), u.name, u.size, err)
		http.Error(w, "not what was announced", http.StatusBadRequest)
		return
	}
	u.text, u.sent = string(text), true
	fmt.Fprintf(w, "OK - %d", len(text))
}

func (f *files) complete(p params) (map[string]any, string) {
	var files []struct{ ID, Title string }
	if err := json.Unmarshal([]byte(p.need("files")), &files); err != nil || len(files) != 1 {
		f.t.Errorf("files %q: %v", p.values["files"], err)
		return nil, "invalid_arguments"
	}
	u := f.uploads[files[0].ID]
	if u == nil || !u.sent {
		return nil, "file_not_found"
	}
	channel, comment := p.need("channel_id"), p.values["initial_comment"]
	if channel == Gone {
		return nil, "channel_not_found"
	}
	if code := f.talk.checkThread(p, channel, p.values["thread_ts"]); code != "" {
		return nil, code
	}
	if chars(comment) > 4000 {
		return nil, "msg_too_long"
	}
	f.talk.messages = append(f.talk.messages, &standing{channel: channel, ts: f.stamp(), thread: p.values["thread_ts"], user: BotUser,
		bot: BotID, text: comment, file: u})
	return map[string]any{"files": []any{map[string]any{"id": files[0].ID, "title": files[0].Title}}}, ""
}
