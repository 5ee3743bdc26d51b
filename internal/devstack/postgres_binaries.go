package devstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// installations is where Debian, Red Hat, Homebrew and Postgres.app keep
// server binaries outside PATH.
var installations = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// downloaded is the version fetched when the machine has none.
const downloaded = embeddedpostgres.V17

// findPostgres is the folder of initdb and postgres: from PATH, else the
// newest installed, else a download kept in keep. A data directory made by a
// major version needs that one; major is empty for a new one.
func findPostgres(ctx context.Context, major, keep string, say func(string)) (string, error) {
	var others []string
	for _, dir := range postgresDirs() {
		switch version := postgresVersion(ctx, dir); {
		case version == "":
		case major == "" || version == major:
			return dir, nil
		default:
			others = append(others, version)
		}
	}
	if len(others) > 0 {
		return "", fmt.Errorf("the data in %s was made by Postgres %s, but only %s is installed: install postgresql-%s, "+
			"or delete that folder to begin anew", keep, major, strings.Join(others, ", "), major)
	}
	dir, err := downloadPostgres(keep, say)
	if err != nil {
		return "", fmt.Errorf("no Postgres server on this machine, and none could be downloaded (%w): "+
			"install one (apt-get install postgresql) or set DATABASE_URL", err)
	}
	if version := postgresVersion(ctx, dir); major != "" && version != major {
		return "", fmt.Errorf("the data in %s was made by Postgres %s: install postgresql-%s, or delete that folder to begin anew", keep, major, major)
	}
	return dir, nil
}

func postgresDirs() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		// /usr/local/bin may hold a link, with initdb at its target only.
		dirs = append(dirs, filepath.Dir(resolved(path)), filepath.Dir(path))
	}
	for _, pattern := range installations {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		slices.SortFunc(found, func(a, b string) int { return cmp.Compare(versionInPath(b), versionInPath(a)) })
		dirs = append(dirs, found...)
	}
	return dirs
}

func versionInPath(dir string) int {
	name := filepath.Base(filepath.Dir(dir))
	version, _ := strconv.Atoi(name[strings.LastIndexAny(name, "-@")+1:])
	return version
}

// postgresVersion is the major version of the server in dir, empty if dir
// does not hold both programs that we need.
func postgresVersion(ctx context.Context, dir string) string {
	for _, program := range []string{"initdb", "postgres"} {
		if stat, err := os.Stat(filepath.Join(dir, program)); err != nil || stat.Mode()&0o111 == 0 {
			return ""
		}
	}
	// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
	output, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return ""
	}
	for word := range strings.FieldsSeq(string(output)) {
		if major, _, _ := strings.Cut(word, "."); isNumber(major) {
			return major
		}
	}
	return ""
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// downloadPostgres lets embedded-postgres fetch and unpack its binaries. That
// library can only fetch on the way to a running server, so it starts one in
// a scratch folder; as root that last step fails, after the unpacking.
func downloadPostgres(keep string, say func(string)) (string, error) {
	home := filepath.Join(keep, "postgres-"+string(downloaded))
	binaries := filepath.Join(home, "bin")
	if _, err := os.Stat(filepath.Join(binaries, "postgres")); err == nil {
		return binaries, nil
	}
	const step = "downloading Postgres, once"
	say(step)
	defer tick(say, step)()
	scratch, err := os.MkdirTemp("", "vestnik-postgres-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	port, err := choosePort("Postgres", 0)
	if err != nil {
		return "", err
	}
	server := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(downloaded).
		BinariesPath(home).
		CachePath(filepath.Join(scratch, "cache")).
		RuntimePath(filepath.Join(scratch, "run")).
		Port(uint32(port.number)).
		Logger(io.Discard))
	startErr := server.Start()
	if startErr == nil {
		if err := server.Stop(); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(filepath.Join(binaries, "postgres")); err != nil {
		return "", errors.Join(startErr, os.RemoveAll(home))
	}
	if runtime.GOOS != "windows" {
		_ = os.Chmod(home, 0o755) // the server's user has to get there
	}
	return binaries, nil
}
