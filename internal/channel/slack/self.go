package slack

import (
	"context"

	"github.com/longshift/longshift/internal/fault"
)

// identity is the bot's user and workspace. url is the workspace's address.
type identity struct{ user, bot, team, url string }

// whoami asks Slack for the identity of the bot token, and caches it. After an error the next call tries again.
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
	self = identity{user: r.UserID, bot: r.BotID, team: r.TeamID, url: r.URL}
	s.mu.Lock()
	s.self = self
	s.mu.Unlock()
	return self, nil
}

// ours reports whether a person belongs to the bot's workspace and acts in it. teams are those that a delivery names;
// the first, where it happened, must be present, and none may be another: rights are given to ids of people, and in
// channels shared with another workspace its people write too. The signing secret or the app token have already shown
// that the delivery is for this app.
func (me identity) ours(teams ...string) bool {
	for _, t := range teams {
		if t != "" && t != me.team {
			return false
		}
	}
	return me.team != "" && teams[0] != ""
}
