// Package doctor examines an installation: its settings, the servers, the tokens
// and their rights. It sends nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telegram"
	"vestnik/internal/vk"
	"vestnik/internal/words"
	"vestnik/starter"
	"vestnik/worker"
)

// askTime bounds one question of the doctor's.
const askTime = 10 * time.Second

// shortRetention is what a namespace should at least keep: with less, a
// workflow's ID is forgotten while people still look at its delivery.
const shortRetention = 7 * 24 * time.Hour

// State is how serious a finding is.
type State string

// The states.
const (
	OK    State = "ok"
	Note  State = "note" // works, and somebody should know
	Fault State = "fault"
)

// Finding is one thing that was looked at.
type Finding struct {
	What   string `json:"what"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
}

// Examine looks at everything that cfg names. Each question has a time limit of
// its own; what does not answer is a fault among the findings.
func Examine(ctx context.Context, cfg config.Config) []Finding {
	d := &doctor{cfg: cfg}
	d.examine(ctx)
	return d.findings
}

// Err says how many findings are faults; nil if none is.
func Err(findings []Finding) error {
	faults := 0
	for _, found := range findings {
		if found.State == Fault {
			faults++
		}
	}
	if faults == 0 {
		return nil
	}
	return fmt.Errorf("of %s, %s", words.Count(len(findings), "finding", "findings"), words.Count(faults, "is a fault", "are faults"))
}

type doctor struct {
	cfg      config.Config
	findings []Finding
}

func (d *doctor) ok(what, detail string) {
	d.findings = append(d.findings, Finding{what, OK, detail})
}
func (d *doctor) note(what, detail string) {
	d.findings = append(d.findings, Finding{what, Note, detail})
}
func (d *doctor) fault(what string, err error) {
	d.findings = append(d.findings, Finding{what, Fault, err.Error()})
}

func (d *doctor) examine(ctx context.Context) {
	d.database(ctx)
	d.temporal(ctx)
	d.process(ctx)
	d.guide(ctx)
	parts, err := starter.New(d.cfg, nil, nil, nil)
	if err != nil {
		d.fault("routes", err)
		return
	}
	r, routes := worker.NewClients(parts), parts.Routes()
	if len(routes.Targets()) == 0 {
		d.note("routes", "posts go nowhere: neither TG_ENABLED nor VK_OUT_ENABLED nor ROUTES_FILE is set")
	}
	d.reading(ctx, r)
	for _, target := range routes.Targets() {
		if target.Destination.Platform == route.Telegram {
			d.chat(ctx, r, target)
		} else {
			d.wall(ctx, r, target)
		}
	}
}

func (d *doctor) database(ctx context.Context) {
	if !d.cfg.Database.URL.IsSet() {
		d.note("database", "DATABASE_URL is not set: `vestnik dev` starts its own")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	pool, err := db.Open(ctx, d.cfg.Database.URL.Reveal())
	if err != nil {
		d.fault("database", err)
		return
	}
	defer pool.Close()
	current, wanted, err := db.SchemaVersion(ctx, pool)
	switch {
	case err != nil:
		d.fault("database", err)
	case current != wanted:
		d.fault("database", fmt.Errorf("the schema is at version %d, this build wants %d: run `vestnik migrate`", current, wanted))
	default:
		d.ok("database", fmt.Sprintf("%s, schema %d", d.cfg.Database.Target(), current))
	}
}

func (d *doctor) temporal(ctx context.Context) {
	if d.cfg.Temporal.Address == "" {
		d.note("temporal", "TEMPORAL_ADDRESS is not set: `vestnik dev` starts its own")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	temporal, err := client.DialContext(ctx, d.cfg.Temporal.ClientOptions())
	if err != nil {
		d.fault("temporal", err)
		return
	}
	defer temporal.Close()
	described, err := temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: d.cfg.Temporal.Namespace})
	if err != nil {
		d.fault("temporal", fmt.Errorf("namespace %s: %w", d.cfg.Temporal.Namespace, err))
		return
	}
	retention := described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()
	if retention < shortRetention {
		d.note("temporal", fmt.Sprintf("namespace %s keeps histories for %s: 720h is advised", d.cfg.Temporal.Namespace, retention))
	} else {
		d.ok("temporal", fmt.Sprintf("%s, namespace %s, histories kept for %s", d.cfg.Temporal.Address, d.cfg.Temporal.Namespace, retention))
	}
	if d.cfg.Worker.Versioned() {
		d.deployment(ctx, temporal)
	}
	missing, err := protocol.MissingSearchAttributes(ctx, temporal, d.cfg.Temporal.Namespace)
	if err != nil {
		d.note("search attributes", err.Error())
		return
	}
	if len(missing) > 0 {
		d.fault("search attributes", fmt.Errorf("%v are missing: a worker makes them where it may; or: temporal operator search-attribute create --name … --type Keyword", missing))
		return
	}
	d.ok("search attributes", "all there")
}

// deployment reports whether the workers' version gets work: until it is made
// current, they wait without a word.
func (d *doctor) deployment(ctx context.Context, temporal client.Client) {
	what, name, build := "worker deployment", d.cfg.Worker.DeploymentName, d.cfg.Worker.BuildID
	remedy := "vestnik deploy promote " + build
	described, err := worker.DescribeDeployment(ctx, temporal, name)
	if err != nil {
		d.fault(what, fmt.Errorf("%w: start `vestnik worker`, then `%s`", err, remedy))
		return
	}
	current := described.Info.RoutingConfig.CurrentVersion
	switch {
	case current == nil:
		d.fault(what, fmt.Errorf("%s: no version is current, versioned workers get no work: `%s`", name, remedy))
	case current.BuildID != build:
		d.note(what, fmt.Sprintf("%s: version %s is current, not %s: `%s` rolls it out", name, current.BuildID, build, remedy))
	default:
		d.ok(what, fmt.Sprintf("%s: version %s is current", name, build))
	}
}

// Reading tries the walls of a configuration with its reading key: see
// [Examine].
func Reading(ctx context.Context, r *worker.Clients) []Finding {
	d := &doctor{cfg: r.Config}
	d.reading(ctx, r)
	return d.findings
}

// reading tries the reading keys on the first wall, at the price of one call each.
func (d *doctor) reading(ctx context.Context, r *worker.Clients) {
	keys, err := r.Readers()
	switch {
	case err != nil:
		d.fault("VK_TOKEN", err)
		return
	case len(keys) == 0:
		d.note("VK_TOKEN", "not set: no walls are read")
		return
	case len(d.cfg.Scan.Walls) == 0:
		d.note("VK_WALLS", "not set: no walls are read")
		return
	}
	for i, name := range d.cfg.Scan.Walls {
		var owner int64
		err := vk.Ask(ctx, func(ctx context.Context) (err error) {
			owner, err = keys[0].Client.ResolveWall(ctx, name)
			return err
		})
		finding := fmt.Sprintf("owner %d", owner)
		if i == 0 && err == nil {
			finding += ", can be read"
			err = tryKeys(ctx, keys, owner)
		}
		if err != nil {
			d.fault("wall "+name, err)
			continue
		}
		d.ok("wall "+name, finding)
	}
}

// tryKeys reads a wall with each key, and says of several which may not.
func tryKeys(ctx context.Context, keys []activities.ReadingKey, owner int64) error {
	var failures []error
	for n, key := range keys {
		err := vk.Ask(ctx, func(ctx context.Context) error {
			_, err := key.Client.WallGet(ctx, owner, 1, 0)
			return err
		})
		if err != nil && len(keys) > 1 {
			err = fmt.Errorf("key %d of VK_TOKEN: %w", n+1, err)
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

func (d *doctor) chat(ctx context.Context, r *worker.Clients, target route.Target) {
	what := target.Destination.String()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	bot, err := r.Bot(target.Destination)
	if err != nil {
		d.fault(what, err)
		return
	}
	me, err := bot.GetMe(ctx)
	if err != nil {
		d.fault(what, fmt.Errorf("TG_TOKEN: %w", err))
		return
	}
	chat, err := bot.GetChat(ctx, telegram.Chat(target.Destination.Chat))
	if err != nil {
		d.fault(what, fmt.Errorf("@%s does not see the chat; add the bot to it, or correct the id: %w", me.Username, err))
		return
	}
	member, err := bot.GetChatMember(ctx, telegram.Chat(target.Destination.Chat), me.ID)
	if err != nil || !member.IsSubscribed() {
		d.note(what, fmt.Sprintf("@%s sees the %s and may not be a member of it", me.Username, chat.Type))
		return
	}
	d.ok(what, fmt.Sprintf("@%s is in the %s, %v a second and %d a minute", me.Username, chat.Type, target.Settings.RatePerSec, target.Settings.PerMinute))
}

// wall can't try the right to post without posting; it tries that of uploading.
func (d *doctor) wall(ctx context.Context, r *worker.Clients, target route.Target) {
	what := target.Destination.String()
	if _, err := r.Key(target.Destination); err != nil {
		d.fault(what, err)
		return
	}
	d.ok(what, fmt.Sprintf("has a key (whether it may post shows with the first post), %v a second", target.Settings.RatePerSec))
	if !target.Settings.AttachMedia {
		return
	}
	what += " photos"
	err := vk.Ask(ctx, func(ctx context.Context) error { return r.TryUploading(ctx, target.Destination) })
	if err != nil {
		d.note(what, fmt.Sprintf("are named, not uploaded: where the wall drops them, posts go as text; %v", err))
		return
	}
	d.ok(what, "can be uploaded")
}
