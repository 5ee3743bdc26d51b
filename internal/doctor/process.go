package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"vestnik/internal/config"
)

// errNobody means that no process of Vestnik answers where the settings say.
var errNobody = errors.New("no api or dev answers")

// Running asks the api (or dev) that the settings lead to what it runs with, its
// secrets marked with the first operator's token: see [config.Config.Marked].
// Where none answers the error is [errNobody].
func Running(ctx context.Context, cfg config.Config) ([]config.Setting, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	address := processAddress(cfg)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+config.SettingsPath, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+cfg.HTTP.OpsToken.Reveal())
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w at %s", errNobody, address)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: is OPS_TOKEN that process's?", address, answer.Status)
	}
	var settings []config.Setting
	if err := json.NewDecoder(answer.Body).Decode(&settings); err != nil {
		return nil, fmt.Errorf("%s answers no settings: %w", address, err)
	}
	return settings, nil
}

// processAddress is where an operator's routes are, from this machine.
func processAddress(cfg config.Config) string {
	address := cmp.Or(cfg.HTTP.OpsAddr, cfg.HTTP.Addr)
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return address
}

// process compares the settings with those of the process that runs: it read
// its own when it started.
func (d *doctor) process(ctx context.Context) {
	const what = "running process"
	if !d.cfg.HTTP.OpsToken.IsSet() {
		d.note(what, "not asked for its settings: OPS_TOKEN is not set")
		return
	}
	running, err := Running(ctx, d.cfg)
	switch {
	case errors.Is(err, errNobody):
		d.note(what, err.Error())
		return
	case err != nil:
		d.fault(what, err)
		return
	}
	theirs := map[string]string{}
	for _, setting := range running {
		theirs[setting.Name] = setting.Value
	}
	var other []string
	for _, own := range d.cfg.Marked(d.cfg.HTTP.OpsToken.Reveal()) {
		if theirs[own.Name] != own.Value {
			other = append(other, own.Name)
		}
	}
	if len(other) > 0 {
		d.fault(what, fmt.Errorf("it runs with other values of %s: start it again, or set them here as it has them", strings.Join(other, ", ")))
		return
	}
	d.ok(what, "has the same settings")
}
