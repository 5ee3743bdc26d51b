package vk_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/vk"
)

func TestAnUploadAddressIsAskedForAndChecked(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"response":{"album_id":-14,"upload_url":"http://upload.example/x?hash=1","user_id":5,"fallback_upload_url":"http://upload2.example/"}}`))
	address, err := newClient(t, s.URL).GetWallUploadServer(t.Context(), -7)
	require.NoError(t, err)
	require.Equal(t, "http://upload.example/x?hash=1", address)
	require.Equal(t, url.Values{"group_id": {"7"}, "v": {"5.199"}}, s.last(t).Form)

	for _, body := range []string{`{"response":{}}`, `{"response":{"upload_url":"ftp://x"}}`, `{"response":{"upload_url":7}}`, `{"response":{"upload_url":"//SECRET"}}`} {
		_, err = newClient(t, serve(t, answer(200, body)).URL).GetWallUploadServer(t.Context(), 0)
		require.Equal(t, vk.OutcomeUnknown, refused(t, err).Class)
	}
}

func TestAPhotoIsUploadedUnderItsOwnTypeAndWithoutTheKey(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"server":626627,"photo":"[{\"photo\":\"abc\"}]","hash":"5f0e"}`))
	client := newClient(t, s.URL)
	for content, want := range map[string][2]string{
		"\xff\xd8\xff\xe0 кот":  {"photo.jpg", "image/jpeg"},
		"\x89PNG\r\n\x1a\n кот": {"photo.png", "image/png"},
		"GIF89a кот":            {"photo.gif", "image/gif"},
		"непонятно что":         {"photo.jpg", "image/jpeg"},
	} {
		uploaded, err := client.UploadPhoto(t.Context(), s.URL+"/upload?hash=SECRET", []byte(content))
		require.NoError(t, err)
		require.Equal(t, vk.Uploaded{Server: "626627", Photo: `[{"photo":"abc"}]`, Hash: "5f0e"}, uploaded)
		seen := s.last(t)
		require.Equal(t, "/upload", seen.Path)
		require.Empty(t, seen.Authorization)
		require.Equal(t, content, seen.File)
		require.Equal(t, want, [2]string{seen.FileName, seen.FileType})
	}
}

func TestWhateverTheUploadHostSaysAgainstAPhotoStartsTheUploadAnew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"not JSON":           {200, "Security Breach2"},
		"an error":           {200, `{"error":"ERR_UPLOAD_BAD_IMAGE_SIZE: market photo min size 400x400"}`},
		"an error with more": {200, `{"error":{"error_code":22,"error_msg":"x"},"error_descr":"y"}`},
		"no photo":           {200, `{"server":1,"photo":"","hash":"x"}`},
		"an empty list":      {200, `{"server":1,"photo":"[]","hash":"x"}`},
		"no hash":            {200, `{"server":1,"photo":"[1]"}`},
		"no server":          {200, `{"photo":"[1]","hash":"x"}`},
		"a list":             {200, `[]`},
		"nothing":            {200, ``},
		"413 of a gateway":   {413, `<html>SECRET`},
		"502 with a success": {502, `{"server":1,"photo":"[1]","hash":"x"}`},
		"a redirect":         {302, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answer(c.status, c.body))
			_, err := newClient(t, s.URL).UploadPhoto(t.Context(), s.URL+"/upload?hash=SECRET", []byte("x"))
			fault := refused(t, err)
			require.Equal(t, vk.UploadFailed, fault.Class)
			require.Equal(t, vk.RestartUpload, fault.Policy.After(1))
			require.Equal(t, vk.MediaFallback, fault.Policy.After(4))
			require.Equal(t, "upload", fault.Method)
			require.Equal(t, vk.Media, fault.Purpose)
			require.Equal(t, c.status, fault.HTTPStatus)
		})
	}
}

func TestAnUploadThatFailsOnTheWayTellsNothingOfItsAddress(t *testing.T) {
	t.Parallel()
	closed := serve(t, answer(200, ""))
	closed.Close()
	resets := serve(t, hangUp(""))
	hangs := serve(t, hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"))
	for _, address := range []string{closed.URL, resets.URL, hangs.URL, "http://%zzSECRET", "SECRET", "https://"} {
		_, err := newClient(t, resets.URL).UploadPhoto(t.Context(), address+"/upload?hash=SECRET", []byte("x"))
		require.Equal(t, vk.RestartUpload, refused(t, err).Action())
	}
}

func TestAnUploadKeepsToItsContextAndItsOwnTimeout(t *testing.T) {
	t.Parallel()
	s := serve(t, badAnswers["no answer within the deadline"].handler)
	client := newClient(t, s.URL, func(c *vk.Config) { c.UploadTimeout = 200 * time.Millisecond })
	_, err := client.UploadPhoto(t.Context(), s.URL+"/upload", []byte("x"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.True(t, refused(t, err).Timeout)
}

func TestAPhotoOfNoSizeOrTooMuchGoesNowhere(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, ""))
	for _, photo := range [][]byte{nil, make([]byte, vk.MaxPhotoBytes+1)} {
		_, err := newClient(t, s.URL).UploadPhoto(t.Context(), s.URL, photo)
		require.Equal(t, vk.MediaFallback, refused(t, err).Action())
	}
	require.Zero(t, s.count())
}

func TestAnAPIOverHTTPSUploadsOverHTTPSOnly(t *testing.T) {
	t.Parallel()
	client, err := vk.New(vk.Config{Token: token})
	require.NoError(t, err)
	s := serve(t, answer(200, ""))
	_, err = client.UploadPhoto(t.Context(), s.URL+"/upload", []byte("x"))
	require.Equal(t, vk.UploadFailed, refused(t, err).Class)
	require.Zero(t, s.count())
}

func TestAnUploadedPhotoIsSavedAndCanBeAttached(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"response":[{"id":456239,"owner_id":-7,"access_key":"ab","sizes":[]}]}`))
	saved, err := newClient(t, s.URL).SaveWallPhoto(t.Context(), 7, vk.Uploaded{Server: "1", Photo: "[1]", Hash: "h"})
	require.NoError(t, err)
	require.Equal(t, "photo-7_456239_ab", saved.Ref())
	require.Equal(t, "/method/photos.saveWallPhoto", s.last(t).Path)
	require.Equal(t, url.Values{"group_id": {"7"}, "server": {"1"}, "photo": {"[1]"}, "hash": {"h"}, "v": {"5.199"}}, s.last(t).Form)
}

func TestASaveWithoutAClearAnswerStartsTheUploadAnew(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"response":[]}`, `{"response":[{"id":5}]}`, `{"response":{}}`, `{"response":null}`, `<html>`, `{"error":{"error_code":121,"error_msg":"Invalid hash"}}`} {
		_, err := newClient(t, serve(t, answer(200, body)).URL).SaveWallPhoto(t.Context(), 7, vk.Uploaded{})
		require.Equal(t, vk.RestartUpload, refused(t, err).Action(), body)
	}
	closed := serve(t, answer(200, ""))
	closed.Close()
	_, err := newClient(t, closed.URL).SaveWallPhoto(t.Context(), 7, vk.Uploaded{})
	require.Equal(t, vk.Retry, refused(t, err).Action(), "it was never sent, so it can be sent")
}
