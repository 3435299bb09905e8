package slack

import (
	"context"

	"github.com/longshift/longshift/internal/fault"
)

// identity is who we are, and in which workspace.
type identity struct{ user, bot, team string }

// whoami asks Slack once who the bot token belongs to. A failed call is tried again by the next one.
func (s *Slack) whoami(ctx context.Context) (identity, error) {
	s.mu.Lock()
	self := s.self
	s.mu.Unlock()
	if self != (identity{}) {
		return self, nil
	}
	api, err := s.bot(ctx)
	if err != nil {
		return identity{}, err
	}
	r, err := api.AuthTestContext(ctx)
	if err != nil {
		return identity{}, problem(ctx, "ask Slack who we are", err)
	}
	if r.UserID == "" || r.TeamID == "" {
		return identity{}, fault.New(fault.Infra, "Slack did not say who we are, or in which workspace")
	}
	self = identity{user: r.UserID, bot: r.BotID, team: r.TeamID}
	s.mu.Lock()
	s.self = self
	s.mu.Unlock()
	return self, nil
}

// ours tells whether somebody acts in our workspace and belongs to it. teams are those that a delivery names; the first one, where
// it happened, must be there, and none may be another: the ids of people are given rights here, and in a channel that is shared with
// another workspace its people write too. That a delivery is for our app is settled before: by the signing secret, or by the app
// token that a connection was opened with.
func (me identity) ours(teams ...string) bool {
	for _, t := range teams {
		if t != "" && t != me.team {
			return false
		}
	}
	return me.team != "" && teams[0] != ""
}
