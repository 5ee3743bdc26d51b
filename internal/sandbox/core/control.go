package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Control adds the routes that belong to no platform to the control API.
func (c *Core) Control(api *http.ServeMux) {
	api.HandleFunc("GET /sandbox/photos/{file}", c.pictures.servePicture)
	api.HandleFunc("GET /sandbox/files/{file}", c.pictures.serveFile)
	api.HandleFunc("GET /sandbox/uploads/{id}", c.pictures.serveUpload)
	Handle(api, "GET /sandbox/calls", func(r Request, _ None) (any, error) { return c.askedCalls(r) })
	Handle(api, "DELETE /sandbox/calls", func(Request, None) (any, error) { c.ClearCalls(); return nil, nil })
	Handle(api, "GET /sandbox/faults", func(Request, None) (any, error) { return c.Faults(), nil })
	Handle(api, "POST /sandbox/faults", func(_ Request, fault Fault) (any, error) {
		id, err := c.SetFault(fault)
		return map[string]string{"id": id}, err
	})
	Handle(api, "DELETE /sandbox/faults", func(Request, None) (any, error) { c.ClearFaults(); return nil, nil })
	Handle(api, "DELETE /sandbox/faults/{id}", func(r Request, _ None) (any, error) {
		if !c.ClearFault(r.PathValue("id")) {
			return nil, fmt.Errorf("no fault %q", r.PathValue("id"))
		}
		return nil, nil
	})
	Handle(api, "POST /sandbox/photos/{name}", func(r Request, fault PictureFault) (any, error) {
		c.SetPictureFault(r.PathValue("name"), fault)
		return nil, nil
	})
}

// askedCalls lists calls; wait=N blocks until so many match.
func (c *Core) askedCalls(r Request) (any, error) {
	query := r.URL.Query()
	filter := CallFilter{
		Platform: Platform(query.Get("platform")), Method: query.Get("method"), Key: query.Get("key"), Chat: query.Get("chat"),
		Outcome: Outcome(query.Get("outcome")), Arrived: query.Get("arrived") == "true", After: int64(number(query.Get("after"))),
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(cmp.Or(number(query.Get("timeout_ms")), 30_000))*time.Millisecond)
	defer cancel()
	return c.WaitForCalls(ctx, filter, number(query.Get("wait")))
}

// number is what a text says; 0 if that is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// None is the body of a request that has none.
type None struct{}

// Request is a request of the control API.
type Request struct{ *http.Request }

// Number is a number of the path; 0, which names nothing, if it is none.
func (r Request) Number(name string) int64 { return int64(number(r.PathValue(name))) }

// Handle adds a route to the control API. The body is decoded strictly, unknown fields are refused. A nil result is
// answered with {"ok":true}; an error with 400 and {"error": "…"}, or with 408 if the waiting was in vain.
func Handle[In any](api *http.ServeMux, pattern string, do func(Request, In) (any, error)) {
	api.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var in In
		var result any
		body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, 16<<20))
		if _, none := any(in).(None); err == nil && !none {
			err = Strictly(body, &in)
		}
		if err == nil {
			result, err = do(Request{r}, in)
		}
		status := http.StatusOK
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			status = http.StatusRequestTimeout
		case err != nil:
			status = http.StatusBadRequest
		case result == nil:
			result = map[string]bool{"ok": true}
		}
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write(Encode(result))
	})
}
