// Package payload encrypts what Temporal keeps: inputs, results, signals,
// updates, queries, memos, summaries and failures of workflows and activities.
package payload

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// Clear in place of the first key encrypts nothing; what is encrypted is read all
// the same.
const Clear = "clear"

const (
	// encoding marks an encrypted payload, keyID names its key.
	encoding = "binary/encrypted"
	keyID    = "encryption-key-id"
	// keyBytes is the length of a key: AES-256.
	keyBytes = 32
)

// Codec encrypts payloads with AES-256-GCM under the first of its keys, and
// decrypts them under any. A payload that is not encrypted stays as it is, so
// that histories from before read on.
type Codec struct {
	first string // "" encrypts nothing
	keys  map[string]cipher.AEAD
}

// ParseKeys reads a list such as "2026-11:<base64 of 32 bytes>,2026-05:…": the
// first key encrypts, all of them decrypt. [Clear] may stand in place of the
// first. No error repeats a key.
func ParseKeys(list string) (*Codec, error) {
	codec := &Codec{keys: map[string]cipher.AEAD{}}
	for i, item := range strings.Split(list, ",") {
		if item = strings.TrimSpace(item); i == 0 && item == Clear {
			continue
		}
		id, text, _ := strings.Cut(item, ":")
		raw, err := base64.StdEncoding.DecodeString(text)
		if id == "" || err != nil || len(raw) != keyBytes {
			return nil, fmt.Errorf("payload: key %d is not id:base64 of %d bytes", i+1, keyBytes)
		}
		if codec.keys[id] != nil {
			return nil, fmt.Errorf("payload: key %d has the id of another", i+1)
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, errors.New("payload: no cipher")
		}
		if codec.keys[id], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, errors.New("payload: no GCM")
		}
		if i == 0 {
			codec.first = id
		}
	}
	if len(codec.keys) == 0 {
		return nil, errors.New("payload: no key")
	}
	return codec, nil
}

// Equip makes a client, and its workers, keep payloads encrypted, the messages of
// failures too.
func (c *Codec) Equip(options *client.Options) {
	options.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c)
	options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter: options.DataConverter, EncodeCommonAttributes: true,
	})
}

// Encode implements converter.PayloadCodec.
func (c *Codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if c.first == "" {
		return payloads, nil
	}
	return each(payloads, func(p *commonpb.Payload) (*commonpb.Payload, error) {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("payload: %w", err)
		}
		return &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding), keyID: []byte(c.first)},
			Data:     c.keys[c.first].Seal(nil, nil, plain, nil),
		}, nil
	})
}

// Decode implements converter.PayloadCodec.
func (c *Codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return each(payloads, func(p *commonpb.Payload) (*commonpb.Payload, error) {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encoding {
			return p, nil
		}
		key := c.keys[string(p.GetMetadata()[keyID])]
		if key == nil {
			return nil, fmt.Errorf("payload: its key %q is not in PAYLOAD_KEYS", p.GetMetadata()[keyID])
		}
		plain, err := key.Open(nil, nil, p.GetData(), nil)
		if err != nil {
			return nil, fmt.Errorf("payload: it can't be decrypted with the key %q", p.GetMetadata()[keyID])
		}
		opened := &commonpb.Payload{}
		if err := proto.Unmarshal(plain, opened); err != nil {
			return nil, fmt.Errorf("payload: %w", err)
		}
		return opened, nil
	})
}

func each(payloads []*commonpb.Payload, do func(*commonpb.Payload) (*commonpb.Payload, error)) ([]*commonpb.Payload, error) {
	done := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		var err error
		if done[i], err = do(p); err != nil {
			return nil, err
		}
	}
	return done, nil
}
