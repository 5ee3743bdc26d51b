package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/operators"
)

const (
	// objectsListed is how many objects one page lists.
	objectsListed = 200
	// objectsSearched is how many a search reads at once.
	objectsSearched = 2000
	// suggested is how many names a field suggests.
	suggested = 1000
)

type objectsView struct {
	List    content.List
	Lists   []content.List
	Query   string
	Objects []content.Named
	After   string // the address of the page after this one, "" if there is none
}

func (c *console) listObjects(r *http.Request) (any, error) {
	view := objectsView{List: content.List(r.URL.Query().Get("list")), Lists: content.Shown, Query: r.URL.Query().Get("q")}
	if view.List.Rank() < 0 {
		return nil, db.ErrNotFound
	}
	after := content.Named{Title: r.URL.Query().Get("after"), ID: r.URL.Query().Get("after_id")}
	var err error
	view.Objects, err = c.objects(r.Context(), view.List, view.Query, after)
	if len(view.Objects) > objectsListed {
		view.Objects = view.Objects[:objectsListed]
		last := view.Objects[objectsListed-1]
		view.After = address(deskPath+"/objects", url.Values{"list": {string(view.List)}, "q": {view.Query}, "after": {last.Title}, "after_id": {last.ID}})
	}
	return view, err
}

// objects are those of a list after one that match what is searched for: one more
// than a page has, if there are so many. A search reads along the list until then.
func (c *console) objects(ctx context.Context, list content.List, query string, after content.Named) (found []content.Named, err error) {
	wanted := content.SortKey(query)
	most := objectsListed + 1
	if wanted != "" {
		most = objectsSearched
	}
	for {
		named, err := c.Guide.NamedAfter(ctx, list, after, most)
		if err != nil {
			return nil, err
		}
		for _, object := range named {
			if wanted == "" || strings.Contains(content.SortKey(object.Title+" "+object.Detail), wanted) || object.ID == query {
				found = append(found, object)
			}
		}
		if len(named) < most || len(found) > objectsListed {
			return found, nil
		}
		after = named[most-1]
	}
}

// objectView is the form of one object, with its card and what is wrong.
type objectView struct {
	List      content.List
	ID        string // "" of a new one
	Title     string
	Published bool
	// Version is of the object whose form was opened. Changed says that it is
	// another one by now, and that nothing was saved.
	Version string
	Changed bool
	Fields  []content.FormField
	// Suggested are the names that a field may refer to.
	Suggested map[content.List][]content.Named
	Card      *guide.Screen
	Refused   []content.Refusal
	Warnings  []content.Warning
	Checked   bool // what is in the form was looked at, and is not saved
}

// Shown is the text of the card.
func (v objectView) Shown() string {
	if v.Card.Photo != "" {
		return v.Card.Caption
	}
	return v.Card.Text
}

func (c *console) object(r *http.Request) (any, error) {
	view := objectView{List: content.List(r.URL.Query().Get("list")), ID: r.URL.Query().Get("id"), Published: true}
	if view.List.Rank() < 0 {
		return nil, db.ErrNotFound
	}
	object := view.List.New()
	if view.ID != "" {
		known, err := c.Guide.Object(r.Context(), view.List, view.ID)
		if errors.Is(err, guidedb.ErrNotFound) {
			return nil, message{http.StatusNotFound, "desk.no_object", []any{languageOf(r).listName(view.List)}}
		}
		if err != nil {
			return nil, err
		}
		object, view.Title, view.Published, view.Version = known.Content, known.Title, known.Published, known.Version
	}
	var err error
	if view.Fields, err = c.Guide.Fields(object); err == nil && view.ID != "" {
		err = c.look(r, &view)
	}
	return view, c.suggest(r, &view, err)
}

// suggest adds the names that the fields of a form may refer to.
func (c *console) suggest(r *http.Request, view *objectView, err error) error {
	view.Suggested = map[content.List][]content.Named{}
	for _, field := range view.Fields {
		if list := field.Refers; list != "" && err == nil && view.Suggested[list] == nil {
			view.Suggested[list], err = c.Guide.NamedAfter(r.Context(), list, content.Named{}, suggested)
		}
	}
	return err
}

// batch is the form's object on its way into the guide.
func (c *console) formBatch(view *objectView, id string) (guidedb.Upload, error) {
	values := map[string]string{}
	for _, field := range view.Fields {
		values[field.Name] = field.Value
	}
	batch, err := c.Guide.Form(view.List, id, values)
	return guidedb.Upload{Batch: batch, Origin: "форма: " + view.Title}, err
}

// look finds out what the guide would make of the form.
func (c *console) look(r *http.Request, view *objectView) error {
	upload, err := c.formBatch(view, view.ID)
	if err != nil {
		return err
	}
	status, card, err := c.Guide.CheckCard(r.Context(), upload, view.List, view.ID, c.Now())
	view.Card, view.Refused, view.Warnings = card, status.Refused, status.Notes.Warnings
	return err
}

// fill takes over what the form says.
func (c *console) fill(r *http.Request, view *objectView) error {
	fields, err := c.Guide.Fields(view.List.New())
	for _, field := range fields {
		field.Value = strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get(field.Name), "\r\n", "\n"))
		if field.Name == "name" || field.Name == "title" {
			view.Title = field.Value
		}
		view.Fields = append(view.Fields, field)
	}
	return err
}

// compare finds out whether somebody has changed the object since its form was
// opened, if the form is to change it.
func (c *console) compare(r *http.Request, view *objectView) error {
	if view.ID == "" || r.PostForm.Get("action") == "look" {
		return nil
	}
	known, err := c.Guide.Object(r.Context(), view.List, view.ID)
	if err == nil && known.Version != view.Version {
		view.Version, view.Published, view.Changed = known.Version, known.Published, true
	}
	return c.suggest(r, view, err)
}

func (c *console) saveObject(w http.ResponseWriter, r *http.Request) {
	view := objectView{List: content.List(r.PostForm.Get("list")), ID: r.PostForm.Get("id"), Version: r.PostForm.Get("version"), Published: r.PostForm.Get("hidden") == "", Checked: true}
	if view.List.Rank() < 0 {
		c.showNotFound(w, r)
		return
	}
	err := c.fill(r, &view)
	if err == nil {
		err = c.compare(r, &view)
	}
	isNew := view.ID == ""
	switch {
	case err != nil:
		c.showFault(w, r, err)
		return
	case view.Changed:
		c.render(w, r, http.StatusConflict, "object", view)
		return
	case r.PostForm.Get("action") == "hide" && !isNew:
		c.hideObject(w, r, view)
		return
	}
	if isNew {
		known, err := c.Guide.Named(r.Context(), view.List)
		if err != nil {
			c.showFault(w, r, err)
			return
		}
		view.ID = content.FreeID(view.Title, known)
	}
	err = c.look(r, &view)
	if err != nil || len(view.Refused) > 0 || r.PostForm.Get("action") != "save" {
		if isNew {
			view.ID = ""
		}
		if err := c.suggest(r, &view, err); err != nil || len(view.Refused) == 0 {
			c.show(w, r, "object", view, err)
			return
		}
		c.render(w, r, http.StatusUnprocessableEntity, "object", view)
		return
	}
	upload, err := c.formBatch(&view, view.ID)
	c.importOne(w, r, upload, err)
}

func (c *console) hideObject(w http.ResponseWriter, r *http.Request, view objectView) {
	batch, err := json.Marshal(content.Batch{Unpublish: map[content.List][]string{view.List: {view.ID}}})
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	source, err := c.Guide.Open("", strings.NewReader(string(batch)), content.TableOptions{})
	c.importOne(w, r, guidedb.Upload{Batch: source, Origin: "скрыто: " + view.Title}, err)
}

func (c *console) importOne(w http.ResponseWriter, r *http.Request, upload guidedb.Upload, err error) {
	var accepted guidedb.Acceptance
	if err == nil {
		upload.Author = operators.Of(r.Context()).Name
		accepted, err = c.Guide.Import(r.Context(), upload)
	}
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	c.Log.InfoContext(r.Context(), "editor changed an object", "import", accepted.ID)
	http.Redirect(w, r, importPath(accepted.ID), http.StatusSeeOther)
}
