package devstack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// serverUser is the user to run Postgres as: nil for us, unless we are root,
// whom Postgres refuses. Data that is there keeps its owner.
func serverUser(dir string) (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // no change of user is a valid answer
	}
	if stat, err := os.Stat(dir); err == nil {
		if owned, ok := stat.Sys().(*syscall.Stat_t); ok && owned.Uid != 0 {
			return &owner{Uid: owned.Uid, Gid: owned.Gid}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return &owner{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("Postgres refuses to run as root, and there is neither a user postgres nor a user nobody to run it as: " +
		"add one (adduser --system postgres), run as an ordinary user, or set DATABASE_URL")
}

// reachableDir is dir if the user can get there, else a folder in /var/tmp
// that belongs to dir: a project in /root, say, is closed to everyone but
// root.
func reachableDir(dir string, as *owner) (string, error) {
	if as == nil {
		return dir, nil
	}
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		stat, err := os.Stat(parent)
		if err != nil {
			return "", fmt.Errorf("look at %s: %w", parent, err)
		}
		if !mayEnter(stat, as) {
			break
		}
		if parent == filepath.Dir(parent) {
			return dir, nil
		}
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dir, err)
	}
	sum := sha256.Sum256([]byte(absolute))
	home := filepath.Join("/var/tmp", "vestnik-"+hex.EncodeToString(sum[:6]))
	if err := makeOwned(home, as); err != nil {
		return "", err
	}
	return filepath.Join(home, "postgres"), nil
}

func mayEnter(stat os.FileInfo, as *owner) bool {
	owned, ok := stat.Sys().(*syscall.Stat_t)
	switch mode := stat.Mode().Perm(); {
	case !ok:
		return true
	case owned.Uid == as.Uid:
		return mode&0o100 != 0
	case owned.Gid == as.Gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// makeOwned makes a private folder of the user's. In a folder open to all,
// such as /var/tmp, somebody else may have put one there first: that is
// refused.
func makeOwned(dir string, as *owner) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	stat, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	owned, ok := stat.Sys().(*syscall.Stat_t)
	mine := ok && (owned.Uid == uint32(os.Geteuid()) || (as != nil && owned.Uid == as.Uid))
	if !stat.IsDir() || !mine {
		return fmt.Errorf("%s is there already and belongs to somebody else: delete it", dir)
	}
	return give(dir, as)
}

func give(path string, as *owner) error {
	if as == nil {
		return nil
	}
	if err := os.Lchown(path, int(as.Uid), int(as.Gid)); err != nil {
		return fmt.Errorf("give %s to user %d: %w", path, as.Uid, err)
	}
	return nil
}
