package slack

import "context"

// identity is who we are in the workspace.
type identity struct{ user, bot string }

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
	self = identity{user: r.UserID, bot: r.BotID}
	s.mu.Lock()
	s.self = self
	s.mu.Unlock()
	return self, nil
}
