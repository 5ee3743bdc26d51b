package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
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
		Platform: Platform(query.Get("platform")), Method: query.Get("method"), Key: query.Get("key"),
		Chat: query.Get("chat"), Outcome: Outcome(query.Get("outcome")), Arrived: query.Get("arrived") == "true",
	}
	numbers := map[string]int64{}
	for _, name := range []string{"after", "limit", "wait", "timeout_ms"} {
		n, err := strconv.ParseInt(cmp.Or(query.Get(name), "0"), 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s=%q: a whole number is needed", name, query.Get(name))
		}
		numbers[name] = n
	}
	filter.After = numbers["after"]
	if numbers["wait"] == 0 {
		return c.LatestCalls(filter, int(numbers["limit"])), nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(cmp.Or(numbers["timeout_ms"], 30_000))*time.Millisecond)
	defer cancel()
	return c.WaitForCalls(ctx, filter, int(numbers["wait"]))
}

// None is the body of a request that has none.
type None struct{}

// Request is a control request whose numbers in the path have been read.
type Request struct {
	*http.Request
	numbers map[string]int64
}

// Number is a number of the path.
func (r Request) Number(name string) int64 { return r.numbers[name] }

var pathName = regexp.MustCompile(`\{([a-z]+)\}`)

// Handle adds a route to the control API. What stands in braces in the pattern must be a number, but for {id} and {name}; the body is
// decoded strictly, unknown fields are refused. A nil result is answered with {"ok":true}.
func Handle[In any](api *http.ServeMux, pattern string, do func(Request, In) (any, error)) {
	handler := func(r *http.Request) (any, error) {
		in, request := *new(In), Request{r, map[string]int64{}}
		for _, match := range pathName.FindAllStringSubmatch(pattern, -1) {
			name := match[1]
			n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
			if err != nil && name != "id" && name != "name" {
				return nil, fmt.Errorf("%s %q in the path is no number", name, r.PathValue(name))
			}
			request.numbers[name] = n
		}
		if _, none := any(in).(None); !none {
			decoder := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 16<<20))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&in); err != nil {
				return nil, fmt.Errorf("body of %s: %w", r.URL.Path, err)
			}
		}
		return do(request, in)
	}
	api.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		result, err := handler(r)
		reply(w, result, err)
	})
}

// reply answers a control request: 200 with the result, 408 if the waiting was in vain, 400 with {"error": "…"}
// otherwise.
func reply(w http.ResponseWriter, result any, err error) {
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
}
