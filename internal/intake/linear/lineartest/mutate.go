package lineartest

import "slices"

func (s *Server) mutation() object {
	return fields{
		"commentCreate": func(args map[string]any) (any, error) {
			in := args["input"].(map[string]any)
			key, _ := in["issueId"].(string)
			i := s.find(key)
			if i == nil {
				return nil, notFound("Issue - Could not find referenced Issue.")
			}
			text, _ := in["body"].(string)
			if text == "" {
				return nil, complaint{"INPUT_ERROR", "invalid input", "Argument Validation Error: body must not be empty"}
			}
			id, err := s.take("Comment", in["id"])
			if err != nil {
				return nil, err
			}
			i.comments = append(i.comments, &comment{id: id, body: text, by: s.ws.me})
			return success("CommentPayload"), nil
		},
		"commentUpdate": func(args map[string]any) (any, error) {
			c, _ := s.written(args["id"])
			if c == nil {
				return nil, notFound("Comment - Could not find referenced Comment.")
			}
			if c.by != s.ws.me {
				return nil, complaint{"FORBIDDEN", "forbidden", "You don't have permission to edit this comment"}
			}
			c.body, _ = args["input"].(map[string]any)["body"].(string)
			c.edits++
			return success("CommentPayload"), nil
		},
		"commentDelete": func(args map[string]any) (any, error) {
			c, i := s.written(args["id"])
			if c == nil {
				return nil, notFound("Comment - Could not find referenced Comment.")
			}
			i.comments = slices.DeleteFunc(i.comments, func(o *comment) bool { return o == c })
			return success("DeletePayload"), nil
		},
		"reactionCreate": func(args map[string]any) (any, error) {
			in := args["input"].(map[string]any)
			c, _ := s.written(in["commentId"])
			if c == nil {
				return nil, notFound("Comment - Could not find referenced Comment.")
			}
			id, err := s.take("Reaction", in["id"])
			if err != nil {
				return nil, err
			}
			c.reactions = append(c.reactions, reaction{id: id, emoji: in["emoji"].(string), at: s.Now()})
			return success("ReactionPayload"), nil
		},
		"issueUpdate": func(args map[string]any) (any, error) {
			i := s.find(args["id"].(string))
			if i == nil {
				return nil, notFound("Issue - Could not find referenced Issue.")
			}
			to, _ := args["input"].(map[string]any)["stateId"].(string)
			at := slices.IndexFunc(i.team.states, func(st *state) bool { return st.id == to })
			if at < 0 {
				return nil, notFound("WorkflowState in validateAccess: stateId")
			}
			if i.state != i.team.states[at] {
				i.state = i.team.states[at]
				i.history = append(i.history, event{at: s.Now(), actor: s.ws.me, toState: i.state})
			}
			return success("IssuePayload"), nil
		},
	}.object("Mutation")
}

func success(kind string) object { return fields{"success": true}.object(kind) }

// written finds a comment.
func (s *Server) written(id any) (*comment, *issue) {
	for _, i := range s.ws.issues {
		for _, c := range i.comments {
			if c.id == id {
				return c, i
			}
		}
	}
	return nil, nil
}
