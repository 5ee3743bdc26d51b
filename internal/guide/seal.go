package guide

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
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

// Seal hides a [Private], or the screen that answers it, on its way through
// Temporal, whose histories are a database: AES-256-GCM under a key derived from the bot's token, which the
// api that seals and the worker that opens both have.
type Seal struct{ aead cipher.AEAD }

// NewSeal derives the key from a secret of any length.
func NewSeal(secret string) (*Seal, error) {
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
	return &Seal{aead: aead}, nil
}

// Close seals a value for the update it came with.
func (s *Seal) Close(value any, updateID int64) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("guide: seal: %w", err)
	}
	return s.aead.Seal(nil, nil, plain, purpose(updateID)), nil
}

// ErrSealed is returned for what was sealed under another token or for
// another update.
var ErrSealed = errors.New("guide: the sealed part of the update can't be opened with this token")

// Open gives back to value what Close has sealed, or returns ErrSealed.
func (s *Seal) Open(sealed []byte, updateID int64, value any) error {
	plain, err := s.aead.Open(nil, nil, sealed, purpose(updateID))
	if err != nil || json.Unmarshal(plain, value) != nil {
		return ErrSealed
	}
	return nil
}

func purpose(updateID int64) []byte { return fmt.Appendf(nil, "update %d", updateID) }
