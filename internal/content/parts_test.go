package content_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func TestWhatIsTooMuchForOneBatchIsWrittenAsSeveral(t *testing.T) {
	t.Parallel()
	types := func(count int) func(*content.Parts) error {
		return func(parts *content.Parts) error {
			for n := range count {
				if err := parts.Write(content.Types, &content.Type{ID: fmt.Sprint("t", n), Name: "Тип"}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	tests := map[string]struct {
		write   func(*content.Parts) error
		objects []int // of each part
	}{
		"nothing":                 {types(0), []int{0}},
		"as many as one may have": {types(content.MaxObjects), []int{content.MaxObjects}},
		"one more":                {types(content.MaxObjects + 1), []int{content.MaxObjects, 1}},
		"too many bytes": {func(parts *content.Parts) error {
			description := strings.Repeat("ж", 10_000)
			for n := range 3000 {
				if err := parts.Write(content.Places, &content.Place{ID: fmt.Sprint("p", n), Name: "Место", Description: description}); err != nil {
					return err
				}
			}
			return nil
		}, []int{2606, 394}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var written []*bytes.Buffer
			parts := content.NewParts(func() (content.BatchWriter, error) {
				written = append(written, new(bytes.Buffer))
				return content.NewWriter(written[len(written)-1], content.Upsert), nil
			})
			require.NoError(t, test.write(parts))
			require.NoError(t, parts.Close())
			var objects []int
			for _, part := range written {
				reader := content.NewReader(part, content.Rules{})
				for {
					object, err := reader.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					require.NoError(t, err, "each part is a batch that an import takes")
					require.Empty(t, object.Refusals)
				}
				objects = append(objects, reader.Summary().Objects)
			}
			require.Equal(t, test.objects, objects)
		})
	}
}
