package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost/corpus"
)

// The committed model is the one that is learned from the committed vocabulary
// and posts; other processors may round the last digit of a weight otherwise.
func TestTheModelIsWhatMakeModelMakes(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the model is made on amd64")
	}
	var files []string
	for _, name := range corpus.Training {
		files = append(files, filepath.Join("..", "testdata", name))
	}
	samples, err := load(files)
	require.NoError(t, err)
	committed, err := os.ReadFile("../model.tsv")
	require.NoError(t, err)
	var temperature float64
	_, head, _ := strings.Cut(string(committed), "divided by ")
	_, err = fmt.Sscanf(head, "%f;", &temperature)
	require.NoError(t, err)
	made := train(samples).table(temperature)
	require.True(t, bytes.Equal(made, committed), "the vocabulary or the posts have changed: run make model")
}
