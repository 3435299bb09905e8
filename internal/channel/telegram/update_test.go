package telegram

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
)

const from = `"from":{"id":4242,"is_bot":false,"first_name":"Ada","last_name":"Lovelace","username":"ada"},"date":1770000000`

// TestEvents parses updates in the Bot API's format. want has only the fields that differ from the defaults; nil means
// that the update is ignored.
func TestEvents(t *testing.T) {
	inGroup := `"chat":{"id":-1001234567890,"type":"supergroup","title":"Team"},` + from
	alone := `"chat":{"id":4242,"type":"private"},` + from
	ours := `"reply_to_message":{"message_id":7,"date":1,"chat":{"id":-1001234567890,"type":"supergroup"},"from":{"id":123456789,"is_bot":true,"first_name":"L"},"text":"plan"}`
	theirs := strings.Replace(ours, "123456789,", "5,", 1)
	said := func(text string) *channel.Event { return &channel.Event{Kind: channel.Said, Text: text, Message: "9"} }
	for name, c := range map[string]struct {
		update string
		want   *channel.Event
	}{
		"private":           {`"message":{"message_id":9,"text":"do it",` + alone + `}`, said("do it")},
		"private path":      {`"message":{"message_id":9,"text":"/etc/passwd is open",` + alone + `}`, said("/etc/passwd is open")},
		"start":             {`"message":{"message_id":9,"text":"/start CODE-7",` + alone + `}`, said("start CODE-7")},
		"command":           {`"message":{"message_id":9,"text":"/approve x1",` + inGroup + `}`, said("approve x1")},
		"our command":       {`"message":{"message_id":9,"text":"/approve@Longshift_Bot x1\nmore",` + inGroup + `}`, said("approve x1\nmore")},
		"another's command": {`"message":{"message_id":9,"text":"/approve@other_bot x1",` + inGroup + `,` + ours + `}`, nil},
		"talk":              {`"message":{"message_id":9,"text":"lunch?",` + inGroup + `}`, nil},
		"mention":           {`"message":{"message_id":9,"text":"🎉🎉 @longshift_bot 🙂 go","entities":[{"type":"mention","offset":5,"length":14}],` + inGroup + `}`, said("🎉🎉 🙂 go")},
		"mention and command": {`"message":{"message_id":9,"text":"@longshift_bot /status","entities":[{"type":"mention","offset":0,"length":14}],` +
			inGroup + `}`, said("status")},
		"only a mention": {`"message":{"message_id":9,"text":"@longshift_bot","entities":[{"type":"mention","offset":0,"length":14}],` + inGroup + `}`,
			said("")},
		"another's mention": {`"message":{"message_id":9,"text":"@longshift_bit","entities":[{"type":"mention","offset":0,"length":14}],` + inGroup + `}`, nil},
		"broken entity":     {`"message":{"message_id":9,"text":"x","entities":[{"type":"mention","offset":9,"length":99999999999}],` + inGroup + `}`, nil},
		"reply to us": {`"message":{"message_id":9,"text":"other way",` + inGroup + `,` + ours + `}`,
			&channel.Event{Kind: channel.Said, Text: "other way", Message: "9", ReplyTo: "7"}},
		"reply to another": {`"message":{"message_id":9,"text":"yes",` + inGroup + `,` + theirs + `}`, nil},
		"topic we opened": {`"message":{"message_id":9,"text":"lunch?","is_topic_message":true,"message_thread_id":7,` + inGroup + `,` +
			strings.Replace(ours, `"text":"plan"`, `"forum_topic_created":{"name":"x","icon_color":1}`, 1) + `}`, nil},
		"picture": {`"message":{"message_id":9,"caption":"/status","photo":[{"file_id":"x"}],` + alone + `}`,
			&channel.Event{Kind: channel.Said, Text: "status", Message: "9", Files: true}},
		"sticker":  {`"message":{"message_id":9,"sticker":{"file_id":"x"},` + alone + `}`, nil},
		"new kind": {`"message":{"message_id":9,"text":"x","effect_id":{"type":"brand_new"},"paid_media":7,` + alone + `}`, said("x")},
		"forwarded": {`"message":{"message_id":9,"text":"/run x","forward_origin":{"type":"user","sender_user":{"id":666,"first_name":"M"}},` +
			alone + `}`, nil},
		"forwarded, new":   {`"message":{"message_id":9,"text":"/run x","forward_origin":{"type":"brand_new"},` + alone + `}`, nil},
		"forwarded, old":   {`"message":{"message_id":9,"text":"/run x","forward_date":1,` + inGroup + `}`, nil},
		"of a user":        {`"message":{"message_id":9,"text":"/run x","forward_from":{"id":666,"first_name":"M"},` + alone + `}`, nil},
		"of a chat":        {`"message":{"message_id":9,"text":"/run x","forward_from_chat":{"id":-6},"forward_from_message_id":3,` + alone + `}`, nil},
		"of one who hides": {`"message":{"message_id":9,"text":"/run x","forward_sender_name":"M",` + alone + `}`, nil},
		"by itself":        {`"message":{"message_id":9,"text":"/run x","is_automatic_forward":true,` + inGroup + `}`, nil},
		"picture sent on":  {`"message":{"message_id":9,"caption":"/run x","forward_origin":{"type":"hidden_user","sender_user_name":"M"},` + alone + `}`, nil},
		"reply to a forward": {`"message":{"message_id":9,"text":"yes","reply_to_message":{"message_id":7,"date":1,"text":"/run x","forward_date":1,"chat":{"id":4242,"type":"private"}},` + alone + `}`,
			&channel.Event{Kind: channel.Said, Text: "yes", Message: "9", ReplyTo: "7"}},
		"quote": {`"message":{"message_id":9,"text":"what is it?","quote":{"text":"/run x","position":0},"external_reply":{"origin":{"type":"user","sender_user":{"id":666}}},` + alone + `}`,
			said("what is it?")},
		"not forwarded":   {`"message":{"message_id":9,"text":"x","forward_origin":null,"is_automatic_forward":false,` + alone + `}`, said("x")},
		"edited":          {`"edited_message":{"message_id":9,"text":"/approve x1",` + alone + `}`, nil},
		"a bot":           {strings.Replace(`"message":{"message_id":9,"text":"/approve x1",`+inGroup+`}`, `"is_bot":false`, `"is_bot":true`, 1), nil},
		"through a bot":   {`"message":{"message_id":9,"text":"/approve x1","via_bot":{"id":5,"is_bot":true},` + inGroup + `}`, nil},
		"anonymous admin": {`"message":{"message_id":9,"text":"/approve x1","sender_chat":{"id":-100,"type":"supergroup"},` + inGroup + `}`, nil},
		"channel":         {`"message":{"message_id":9,"text":"/approve x1","chat":{"id":-5,"type":"channel"},` + from + `}`, nil},
		"nobody":          {`"message":{"message_id":9,"text":"/approve x1","chat":{"id":-5,"type":"group"}}`, nil},
		"press": {`"callback_query":{"id":"1","data":"yes.1",` + from + `,"message":{"message_id":9,` + inGroup + `}}`,
			&channel.Event{Kind: channel.Press, Token: "yes.1", Message: "9"}},
		"old press": {`"callback_query":{"id":"1","data":"yes.1",` + from + `,"message":{"message_id":9,"date":0,"chat":{"id":-1001234567890,"type":"supergroup"}}}`,
			&channel.Event{Kind: channel.Press, Token: "yes.1", Message: "9"}},
		"made-up press": {`"callback_query":{"id":"1","data":"yes\u0000 1",` + from + `,"message":{"message_id":9,` + inGroup + `}}`, nil},
		"inline press":  {`"callback_query":{"id":"1","data":"yes.1","inline_message_id":"x",` + from + `}`, nil},
		"empty":         {`"poll":{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var u update
			if err := json.Unmarshal([]byte(`{"update_id":33,`+c.update+`}`), &u); err != nil {
				t.Fatal(err)
			}
			got, ok := u.event(user{ID: botID, Username: botName})
			if ok != (c.want != nil) {
				t.Fatalf("heard: %v, %+v", ok, got)
			}
			if c.want == nil {
				return
			}
			c.want.ID, c.want.User, c.want.Direct, c.want.Room = "telegram-123456789-33", ada, true, room(group)
			if strings.Contains(c.update, `"private"`) {
				c.want.Room = room(private)
			}
			if c.want.Kind == channel.Said {
				c.want.At = time.Unix(1770000000, 0).UTC()
			}
			if d := cmp.Diff(*c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for want, u := range map[string]user{"ada": {ID: 1, Username: "ada", First: "A"}, "Ada Lovelace": {ID: 1, First: "Ada", Last: "Lovelace"},
		"Ada": {ID: 1, First: "Ada"}, "1": {ID: 1}} {
		if p := u.person(); p.Name != want || p.ID != "1" {
			t.Errorf("%+v is %+v", u, p)
		}
	}
}
