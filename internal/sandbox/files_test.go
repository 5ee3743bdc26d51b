package sandbox_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTelegramTakesFilesWithinItsLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(method, field, link string) telegramAnswer {
		return b.post(b.URL()+"/bot"+botToken+"/"+method, "application/json", strings.NewReader(fmt.Sprintf(`{"chat_id":-1009000000001,%q:%q}`, field, link)))
	}
	const unusable = "Bad Request: wrong type of the web page content"
	for _, name := range []string{"a.pdf", "a.zip", "a.gif"} {
		require.True(t, send("sendDocument", "document", b.FileURL(name, 20<<20)).OK, name)
	}
	require.Equal(t, unusable, send("sendDocument", "document", b.FileURL("a.docx", 100)).Description, "by URL there are GIFs, PDFs and ZIPs")
	require.Equal(t, "Bad Request: failed to get HTTP URL content", send("sendDocument", "document", b.FileURL("a.pdf", 20<<20+1)).Description)
	require.True(t, send("sendAnimation", "animation", b.FileURL("b.gif", 10<<20)).OK, "more than a photo")
	require.Equal(t, unusable, send("sendPhoto", "photo", b.FileURL("a.pdf", 100)).Description)

	upload := func(bytesSent int) telegramAnswer {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		require.NoError(t, w.WriteField("chat_id", "-1009000000001"))
		part, err := w.CreateFormFile("document", "справка.docx")
		require.NoError(t, err)
		_, err = part.Write(make([]byte, bytesSent))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.post(b.URL()+"/bot"+botToken+"/sendDocument", w.FormDataContentType(), &form)
	}
	b.SetMaxUpload(1000)
	require.True(t, upload(1000).OK)
	refused := upload(1001)
	require.Equal(t, 413, refused.Code)
	require.Equal(t, "Request Entity Too Large", refused.Description)
	b.SetMaxUpload(60 << 20)
	require.True(t, upload(60<<20).OK)
	messages := b.Messages(groupChat)
	require.Equal(t, int64(60<<20), messages[len(messages)-1].Document.Bytes)
	require.Equal(t, "справка.docx", messages[len(messages)-1].Document.Name)
}
