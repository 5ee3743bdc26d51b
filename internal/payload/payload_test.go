package payload

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// key is one for tests, under an id.
func key(id, letter string) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, keyBytes)))
}

func codecOf(t *testing.T, keys ...string) *Codec {
	t.Helper()
	codec, err := ParseKeys(strings.Join(keys, ","))
	require.NoError(t, err)
	return codec
}

func payloadOf(t *testing.T, text string) []*commonpb.Payload {
	t.Helper()
	payload, err := converter.GetDefaultDataConverter().ToPayload(text)
	require.NoError(t, err)
	return []*commonpb.Payload{payload}
}

func TestPayloadsAreReadUnderEveryKeyAndWrittenUnderTheFirst(t *testing.T) {
	t.Parallel()
	older, newer := key("2026-05", "a"), key("2026-11", "b")
	plain := payloadOf(t, "тайна")
	sealed, err := codecOf(t, older).Encode(plain)
	require.NoError(t, err)
	require.NotContains(t, sealed[0].String(), "тайна")
	again, err := codecOf(t, older).Encode(plain)
	require.NoError(t, err)
	require.NotEqual(t, sealed[0].GetData(), again[0].GetData(), "equal payloads do not look it")

	rotated := codecOf(t, newer, older)
	opened, err := rotated.Decode(sealed)
	require.NoError(t, err)
	require.Equal(t, plain[0].GetData(), opened[0].GetData())
	resealed, err := rotated.Encode(plain)
	require.NoError(t, err)
	require.Equal(t, "2026-11", string(resealed[0].GetMetadata()[keyID]))

	_, err = codecOf(t, newer).Decode(sealed)
	require.ErrorContains(t, err, `"2026-05" is not in PAYLOAD_KEYS`)
	_, err = codecOf(t, key("2026-05", "c")).Decode(sealed)
	require.ErrorContains(t, err, "can't be decrypted")
	sealed[0].Data[len(sealed[0].Data)-1] ^= 1
	_, err = rotated.Decode(sealed)
	require.Error(t, err, "a changed payload is no payload")
}

func TestWhatIsClearStaysReadable(t *testing.T) {
	t.Parallel()
	plain := payloadOf(t, "до ключей")
	read, err := codecOf(t, key("k", "a")).Decode(plain)
	require.NoError(t, err)
	require.Equal(t, plain, read)
	written, err := codecOf(t, Clear, key("k", "a")).Encode(plain)
	require.NoError(t, err)
	require.Equal(t, plain, written)
}

func TestFaultyKeysAreRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for _, list := range []string{
		"", Clear, "k", "k:secret", ":" + base64.StdEncoding.EncodeToString(make([]byte, keyBytes)), key("k", "a") + "," + Clear,
		key("k", "a") + "," + key("k", "b"), "k:" + base64.StdEncoding.EncodeToString([]byte("secret")),
	} {
		_, err := ParseKeys(list)
		require.Error(t, err, list)
		require.NotContains(t, err.Error(), "secret")
	}
}
