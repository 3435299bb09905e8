package slacktest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// richElement is any element of a rich text: lists hold sections, and sections hold texts and links.
type richElement struct {
	Type     string        `json:"type"`
	Style    richStyle     `json:"style"` // of a list its name, of a text an object
	Indent   int           `json:"indent"`
	Offset   int           `json:"offset"`
	Elements []richElement `json:"elements"`
	URL      string        `json:"url"`

	text string
}

// richStyle is the name of a list's style; it stays empty for the look of a text.
type richStyle string

func (s *richStyle) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		return nil
	}
	return json.Unmarshal(data, (*string)(s))
}

// UnmarshalJSON reads the text, which only texts and links have.
func (e *richElement) UnmarshalJSON(data []byte) error {
	type bare richElement
	if err := json.Unmarshal(data, (*bare)(e)); err != nil {
		return err
	}
	var words struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(data, &words)
	e.text = words.Text
	return err
}

func (b block) richElements() (list []richElement, err error) {
	for _, raw := range b.Elements {
		var e richElement
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// rich checks a block of rich text, of whose elements only lists are simulated.
func (b block) rich() (n int, wrong string) {
	lists, err := b.richElements()
	if err != nil || len(lists) == 0 {
		return 0, fmt.Sprintf("%d lists: %v", len(lists), err)
	}
	for _, l := range lists {
		if l.Type != "rich_text_list" || l.Style != "bullet" && l.Style != "ordered" || l.Indent < 0 || l.Indent > 8 || l.Offset < 0 ||
			len(l.Elements) == 0 {
			return n, fmt.Sprintf("list %+v", l)
		}
		for _, item := range l.Elements {
			if item.Type != "rich_text_section" || len(item.Elements) == 0 {
				return n, fmt.Sprintf("item %+v", item)
			}
			for _, e := range item.Elements {
				if e.text == "" || e.Type != "text" && (e.Type != "link" || !strings.HasPrefix(e.URL, "http")) {
					return n, fmt.Sprintf("element %+v", e)
				}
				n += chars(e.text)
			}
		}
	}
	return n, ""
}

// list is how people see lists. Slack shows the texts of rich text literally.
func (b block) list() string {
	lists, _ := b.richElements() // checked when it was sent
	var lines []string
	for _, l := range lists {
		for i, item := range l.Elements {
			mark := "•"
			if l.Style == "ordered" {
				mark = fmt.Sprintf("%d.", l.Offset+i+1)
			}
			line := strings.Repeat("    ", l.Indent) + mark + " "
			for _, e := range item.Elements {
				line += e.text
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
