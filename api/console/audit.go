package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vestnik/db"
)

// auditShown is how many decisions a page has.
const auditShown = 100

// auditView is a page of the decisions, newest first.
type auditView struct {
	Subject string
	Lines   []auditLine
	Older   string // the address of the page after this one, "" if there is none
}

type auditLine struct {
	db.Decision

	Link string // to the subject's page, "" if it has none
}

func (c *console) decisions(r *http.Request) ([]db.Decision, error) {
	query := r.URL.Query()
	before, err := strconv.ParseInt(query.Get("before"), 10, 64)
	if err != nil && query.Has("before") {
		return nil, refuse("before")
	}
	return c.Ledger.Decisions(r.Context(), query.Get("subject"), before, auditShown)
}

func (c *console) audit(r *http.Request) (any, error) {
	decisions, err := c.decisions(r)
	view := auditView{Subject: r.URL.Query().Get("subject")}
	for _, decision := range decisions {
		view.Lines = append(view.Lines, auditLine{decision, subjectLink(decision.Subject)})
	}
	if len(decisions) == auditShown {
		view.Older = Path + "audit?" + url.Values{"subject": {view.Subject}, "before": {strconv.FormatInt(decisions[auditShown-1].ID, 10)}}.Encode()
	}
	return view, err
}

func subjectLink(subject string) string {
	if subject == allOf || strings.HasPrefix(subject, allOf+"?") {
		return Path + subject
	}
	kind, name, _ := strings.Cut(subject, "/")
	switch kind {
	case "delivery":
		return Path + "deliveries/" + name
	case "case":
		return Path + "cases/" + name
	case "destination":
		return Path + "destinations"
	case "wall":
		return Path + "walls"
	case "post":
		return Path + "posts/" + name
	}
	return ""
}
