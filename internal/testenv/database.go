package testenv

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db"
)

// templateLock is the advisory lock under which one process of the run makes
// the template database.
const templateLock = 0x7665_7374 // "vest"

// postgres is the server whose databases the tests use.
type postgres struct {
	url         *url.URL // of the maintenance database
	maintenance *pgxpool.Pool
	once        func(context.Context) (string, error)
}

func openPostgres(ctx context.Context, address string) (*postgres, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL", DatabaseVariable)
	}
	pool, err := db.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	server := &postgres{url: parsed, maintenance: pool}
	server.once = once(server.makeTemplate)
	return server, nil
}

// template is the name of the migrated database to copy.
func (p *postgres) template(ctx context.Context) (string, error) { return p.once(ctx) }

// makeTemplate makes a database with this build's schema, to be copied for
// each test: that takes milliseconds where migrating takes seconds. Its name
// is the hash of the migrations, so a changed schema makes another.
func (p *postgres) makeTemplate(ctx context.Context) (string, error) {
	name, err := templateName()
	if err != nil {
		return "", err
	}
	connection, err := p.maintenance.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer connection.Release()
	if _, err := connection.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return "", err
	}
	defer connection.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", templateLock) //nolint:errcheck // ends with the connection anyway

	var ready bool
	const finished = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)"
	if err := connection.QueryRow(ctx, finished, name).Scan(&ready); err != nil || ready {
		return name, err
	}
	// What is there without the mark was left by a process that died on it.
	if _, err := connection.Exec(ctx, "DROP DATABASE IF EXISTS "+identifier(name)+" WITH (FORCE)"); err != nil {
		return "", err
	}
	if err := p.copy(ctx, "template0", name); err != nil {
		return "", err
	}
	if err := p.migrate(ctx, name); err != nil {
		return "", err
	}
	_, err = connection.Exec(ctx, "ALTER DATABASE "+identifier(name)+" WITH IS_TEMPLATE true")
	return name, err
}

func (p *postgres) migrate(ctx context.Context, database string) error {
	pool, err := db.Open(ctx, p.address(database))
	if err != nil {
		return err
	}
	defer pool.Close()
	return db.Migrate(ctx, pool)
}

// create copies template into a new database and returns its URL and the way
// to be rid of it.
func (p *postgres) create(ctx context.Context, template string) (address string, drop func(context.Context) error, err error) {
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if err := p.copy(ctx, template, name); err != nil {
		return "", nil, err
	}
	return p.address(name), func(ctx context.Context) error {
		_, err := p.maintenance.Exec(ctx, "DROP DATABASE IF EXISTS "+identifier(name)+" WITH (FORCE)")
		return err
	}, nil
}

func (p *postgres) copy(ctx context.Context, template, name string) error {
	_, err := p.maintenance.Exec(ctx, "CREATE DATABASE "+identifier(name)+" TEMPLATE "+identifier(template))
	return err
}

// OwnDatabase makes an empty database on a server, for a program, and returns
// its URL and the way to be rid of it.
func OwnDatabase(ctx context.Context, server string) (address string, drop func(context.Context) error, err error) {
	postgres, err := openPostgres(ctx, server)
	if err != nil {
		return "", nil, err
	}
	return postgres.create(ctx, "template0")
}

func (p *postgres) address(database string) string {
	address := *p.url
	address.Path = "/" + database
	return address.String()
}

func templateName() (string, error) {
	sum := sha256.New()
	files := db.Migrations()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", path, len(content))
		sum.Write(content)
		return nil
	})
	return "vestnik_template_" + hex.EncodeToString(sum.Sum(nil)[:8]), err
}

func identifier(name string) string { return pgx.Identifier{name}.Sanitize() }
