package sandbox_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/SevereCloud/vksdk/v2/api"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

// download fetches bytes that the sandbox serves.
func download(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var out bytes.Buffer
	_, err = out.ReadFrom(response.Body)
	require.NoError(t, err)
	return out.Bytes()
}

// blank is the address of an empty picture of any size.
func blank(t *testing.T, width, height int) string {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black})))
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(file.Bytes()) }))
	t.Cleanup(host.Close)
	return host.URL + "/blank.png"
}

func TestTelegramRemembersWhatAURLGave(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var fetched atomic.Int32
	broken := atomic.Bool{}
	broken.Store(true)
	file := download(t, b.PictureURL("cat")+"?size=40x30")
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		if broken.Load() {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		_, _ = w.Write(file)
	}))
	t.Cleanup(host.Close)
	send := func(query string) telegramAnswer {
		return b.say("sendPhoto", `{"chat_id":-1009000000001,"photo":"`+host.URL+`/x.jpg`+query+`"}`)
	}
	require.Equal(t, "Bad Request: failed to get HTTP URL content", send("").Description)
	broken.Store(false)
	require.Equal(t, "Bad Request: failed to get HTTP URL content", send("").Description, "the failure is remembered")
	require.EqualValues(t, 1, fetched.Load())
	require.True(t, send("?v=2").OK, "another query is another URL")
	require.True(t, send("?v=2").OK)
	require.EqualValues(t, 2, fetched.Load())
}

func TestUploadsAreMeasured(t *testing.T) {
	t.Parallel()
	b := setup(t)
	upload := func(content []byte) telegramAnswer {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		require.NoError(t, w.WriteField("chat_id", "-1009000000001"))
		part, err := w.CreateFormFile("photo", "photo.jpg")
		require.NoError(t, err)
		_, err = part.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.post(b.URL()+"/bot"+botToken+"/sendPhoto", w.FormDataContentType(), &form)
	}
	picture := b.PictureURL("cat")
	require.True(t, upload(download(t, picture+"?size=40x30")).OK)
	require.Equal(t, "Bad Request: file is too big", upload(make([]byte, 10_600_000)).Description)
	require.Equal(t, "Bad Request: PHOTO_INVALID_DIMENSIONS", upload(download(t, blank(t, 9700, 520))).Description)
	require.Equal(t, "Bad Request: IMAGE_PROCESS_FAILED", upload([]byte("no picture")).Description)
	require.Equal(t, "Bad Request: file must be non-empty", upload(nil).Description)
	shown := b.Messages(groupChat)
	require.True(t, shown[0].Photo.Uploaded)
	require.NotEmpty(t, download(t, shown[0].Photo.URL))
}

func TestPhotoLinksOfVKExpireAndAreRenewedByReadingAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.AddPost(ownWall, sandbox.Post{Text: "a", Photos: []sandbox.WallPhoto{{Drawing: "cat"}}})
	require.NoError(t, err)
	link := func() string {
		got, err := b.vk("service-key").WallGet(api.Params{"owner_id": ownWall})
		require.NoError(t, err)
		return got.Items[0].Attachments[0].Photo.Sizes[0].URL
	}
	get := func(address string) int {
		status, _ := b.request(http.MethodGet, strings.TrimPrefix(address, b.URL()), "", nil)
		return status
	}
	old := link()
	require.Equal(t, 200, get(old))
	b.ExpirePhotoLinks()
	require.Equal(t, 403, get(old))
	require.Equal(t, 200, get(link()))
}
