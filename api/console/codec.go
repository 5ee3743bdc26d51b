package console

import (
	"net/http"
	"net/url"

	"go.temporal.io/sdk/converter"
)

// codecPath is where Temporal's Web UI and command line have payloads opened and
// sealed: the address that they want, before /decode and /encode.
const codecPath = OpsPath + "codec/"

// maxPayloads bounds what is opened at once: a page of a history.
const maxPayloads = 32 << 20

// codec opens and seals payloads for who has the token, and for the browser of
// who is logged in here while it shows the Web UI. It changes nothing, so that it
// asks for no form token; another page may send it something and read no answer.
func (c *console) codec() (http.Handler, error) {
	payloads, err := converter.NewPayloadHTTPHandler(converter.PayloadHTTPHandlerOptions{PreStorageCodecs: []converter.PayloadCodec{c.Codec}})
	if err != nil {
		return nil, err
	}
	ui := ""
	if address, err := url.Parse(c.TemporalUI); err == nil && address.Host != "" {
		ui = address.Scheme + "://" + address.Host
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ui != "" && r.Header.Get("Origin") == ui {
			header := w.Header()
			header.Set("Access-Control-Allow-Origin", ui)
			header.Set("Access-Control-Allow-Credentials", "true")
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Namespace")
			header.Set("Vary", "Origin")
		}
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		known, ok, err := c.authenticate(r)
		switch {
		case err != nil:
			writeProblem(w, refusal(err), err.Error())
		case !ok:
			writeProblem(w, http.StatusUnauthorized, "log in to the console in this browser, or send Authorization: Bearer with OPS_TOKEN")
		default:
			known.Body = http.MaxBytesReader(w, r.Body, maxPayloads)
			payloads.ServeHTTP(w, known)
		}
	}), nil
}
