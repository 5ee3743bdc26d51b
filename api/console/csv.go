package console

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/protocol"
)

// csvTime is how long a list may take to be written.
const csvTime = 10 * time.Minute

// giveDeliveries writes the whole list under its filter as CSV, limit rows at a
// time, so that its length costs no memory.
func (c *console) giveDeliveries(w http.ResponseWriter, r *http.Request) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	if filter.Before = 0; !r.URL.Query().Has("limit") {
		filter.Limit = maxListed
	}
	rows, err := c.list(r.Context(), filter)
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(csvTime)) // a writer that knows no deadlines has none to lift
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="vestnik.csv"`)
	_, _ = w.Write([]byte("\ufeff")) // Excel takes it for UTF-8 then
	table, l, titles := csv.NewWriter(w), languageOf(r), c.titles(r.Context())
	var heading []string
	for _, key := range []string{"list.number", "cases.state", "audit.why", "list.destination", "list.type", "list.animal", "reading.name", "list.place", "walls.wall", "posted.title", "csv.posted", "delivery.owed", "delivery.sent", "delivery.attempts", "csv.chat"} {
		heading = append(heading, l.say(key))
	}
	_ = table.Write(heading) // a client that went away is met below
	table.Flush()
	for len(rows) > 0 {
		for _, row := range rows {
			sent := ""
			if row.SentAt != nil {
				sent = row.SentAt.UTC().Format(time.RFC3339)
			}
			_ = table.Write([]string{
				strconv.FormatInt(row.ID, 10), l.name("status", row.Status), cell(l.reason(row.Reason)), cell(titles.Of(row.Destination)), l.name("type", row.Type),
				l.name("animal", row.About.Animal), cell(row.About.Name), cell(row.About.Location), cell(titles.Wall(row.OwnerID, row.About.Wall)),
				protocol.WallPost(row.OwnerID, row.PostID), row.About.PostedAt.UTC().Format(time.RFC3339), row.CreatedAt.UTC().Format(time.RFC3339), sent,
				strconv.Itoa(row.Attempts), cell(row.Destination),
			})
		}
		table.Flush()
		if table.Error() != nil || len(rows) < filter.Limit {
			return
		}
		filter.Before = rows[len(rows)-1].ID
		if rows, err = c.list(r.Context(), filter); err != nil {
			c.Log.ErrorContext(r.Context(), "list cut short", "error", err)
			panic(http.ErrAbortHandler) // the client shall not take it for whole
		}
	}
}

// cell keeps a spreadsheet from taking what somebody wrote for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
