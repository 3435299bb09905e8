package forgetest

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

func (g *GitHub) addLabels(p *Pull, body []byte) answer {
	var in struct{ Labels []string }
	g.read(body, &in)
	for _, l := range in.Labels {
		if utf8.RuneCountInString(l) > 50 || strings.TrimSpace(l) == "" {
			return invalid("Label", "name", "invalid", "")
		}
	}
	p.Labels = union(p.Labels, in.Labels)
	return answer{status: http.StatusOK, body: g.labels(p.Labels)}
}

func (g *GitHub) requestReviewers(repo *Repository, p *Pull, body []byte) answer {
	var in struct {
		Reviewers     []string
		TeamReviewers []string `json:"team_reviewers"`
	}
	g.read(body, &in)
	for _, u := range in.Reviewers {
		if strings.EqualFold(u, p.Author) {
			return refuse(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
		}
		if !has(repo.Collaborators, u) {
			return notCollaborator(repo)
		}
	}
	for _, t := range in.TeamReviewers {
		if !has(repo.Teams, t) {
			return notCollaborator(repo)
		}
	}
	p.Reviewers, p.Teams = union(p.Reviewers, in.Reviewers), union(p.Teams, in.TeamReviewers)
	return answer{status: http.StatusCreated, body: g.pullBody("pull-request-simple", repo, p)}
}

func notCollaborator(r *Repository) answer {
	return refuse(http.StatusUnprocessableEntity, "Reviews may only be requested from collaborators. "+
		"One or more of the users or teams you specified is not a collaborator of the "+r.Name+" repository.")
}

func has(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return strings.EqualFold(n, name) })
}

func union(list, more []string) []string {
	for _, m := range more {
		if !has(list, m) {
			list = append(list, m)
		}
	}
	return list
}
