package console

import (
	"net/http"
	"slices"

	"vestnik/internal/config"
	"vestnik/internal/setup"
)

// setupSteps says how bots and keys are got, and what is set of them.
func (c *console) setupSteps(r *http.Request) (any, error) {
	type step struct {
		setup.Step
		Done bool
	}
	var settings []config.Setting
	if c.Settings != nil {
		settings = c.Settings("")
	}
	var steps []step
	for _, asked := range setup.Steps(languageOf(r) == russian) {
		set := slices.ContainsFunc(settings, func(s config.Setting) bool { return s.Name == asked.Variable && s.Value != "" })
		steps = append(steps, step{asked, set})
	}
	return steps, nil
}
