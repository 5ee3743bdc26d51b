package guide

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Private is what a person sent that is needed for one answer and may be read
// by nobody else: the words of a search, a location.
type Private struct {
	Words string  `json:"words,omitempty"`
	Lat   float64 `json:"lat,omitempty"`
	Lon   float64 `json:"lon,omitempty"`
	// Located: Lat and Lon are set.
	Located bool `json:"located,omitempty"`
}

// Seal hides a [Private], or the screen that answers it, on its way through Temporal, whose histories are a
// database: AES-256-GCM under a key derived from the bot's token, which the
// api that seals and the worker that opens both have. When the token changes, what
// was sealed under the one before it can still be opened.
type Seal struct {
	secret func() string

	mu   sync.Mutex
	keys []sealKey // the newest first, two at most
}

type sealKey struct {
	of   [sha256.Size]byte // the secret's
	aead cipher.AEAD
}

// NewSeal derives the key from a secret of any length, which may change.
func NewSeal(secret func() string) (*Seal, error) {
	s := &Seal{secret: secret}
	_, err := s.now()
	return s, err
}

// now are the keys after a look at the secret.
func (s *Seal) now() ([]sealKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	secret := s.secret()
	of := sha256.Sum256([]byte(secret))
	if len(s.keys) > 0 && s.keys[0].of == of {
		return s.keys, nil
	}
	aead, err := newAEAD(secret)
	if err != nil {
		return nil, err
	}
	s.keys = append([]sealKey{{of, aead}}, s.keys[:min(len(s.keys), 1)]...)
	return s.keys, nil
}

func newAEAD(secret string) (cipher.AEAD, error) {
	if secret == "" {
		return nil, errors.New("guide: no secret to derive the sealing key from")
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "vestnik guide private", 32)
	if err != nil {
		return nil, fmt.Errorf("guide: derive sealing key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("guide: sealing cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("guide: sealing mode: %w", err)
	}
	return aead, nil
}

// Close seals a value for the update it came with.
func (s *Seal) Close(value any, updateID int64) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("guide: seal: %w", err)
	}
	keys, err := s.now()
	if err != nil {
		return nil, err
	}
	return keys[0].aead.Seal(nil, nil, plain, purpose(updateID)), nil
}

// ErrSealed is returned for what was sealed under another token or for
// another update.
var ErrSealed = errors.New("guide: the sealed part of the update can't be opened with this token")

// Open gives back to value what Close has sealed, or returns ErrSealed.
func (s *Seal) Open(sealed []byte, updateID int64, value any) error {
	keys, err := s.now()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if plain, err := key.aead.Open(nil, nil, sealed, purpose(updateID)); err == nil && json.Unmarshal(plain, value) == nil {
			return nil
		}
	}
	return ErrSealed
}

func purpose(updateID int64) []byte { return fmt.Appendf(nil, "update %d", updateID) }
