// Package vk is Vestnik's client of the VK API: reading walls, decoding posts leniently, publishing, and uploading
// photos. Every failure is an [*Error] with a [Class] and a [Policy] from one catalogue.
//
// The calls are made by github.com/SevereCloud/vksdk/v2, with a handler of our own in the place of the library's. That
// one never looks at the HTTP status, panics on a gzip header over a plain body, loses the error code when one field of
// an error has an odd type, and waits without regard to the context when its limiter is used. So the handler makes the
// call in one exchange of package wire and classifies each answer itself, pacing is the business of the lanes, and
// results are decoded into types of our own that no odd field can break.
//
// A way through the package: [New], [Client.WallGet], [DecodePost]; then [Client.WallPost] and catalogue.go for what a
// refusal means.
package vk

import (
	"cmp"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"

	"vestnik/internal/wire"
)

// defaultBaseURL is the public API. VK lists api.vk.ru as a host too.
const defaultBaseURL = "https://api.vk.com/method/"

// DefaultTimeout bounds one call.
const DefaultTimeout = 10 * time.Second

// apiVersion is the version of the API the decoders were written for.
const apiVersion = "5.199"

// maxAnswer is the largest answer that is read, in bytes, decompressed. A page of 100 posts with ten photos each is
// about 4 MB.
const maxAnswer = 8 << 20

// Config says how to call VK with one key.
type Config struct {
	wire.Hidden

	// Token is a service, community or user key. Space around it, a trailing newline from a file say, is cut off.
	Token string
	// BaseURL is where the methods are; empty means [defaultBaseURL]. A missing slash at the end is added.
	BaseURL string
	// Timeout bounds one call from the first byte to the last; 0 means [DefaultTimeout].
	Timeout time.Duration
	// UploadTimeout bounds the upload of one photo; 0 means three times Timeout.
	UploadTimeout time.Duration
	// Proxy is what the calls go through, uploads too; nil leaves it to the environment.
	Proxy *url.URL
}

// Client calls VK with one key. It is safe for concurrent use. Close it to drop its idle connections.
type Client struct {
	wire.Hidden

	wire          *wire.Client
	sdk           *api.VK
	token         string
	timeout       time.Duration
	uploadTimeout time.Duration
	secure        bool // the API is called over https, so uploads must be too
}

// New makes a client and calls nobody. Its errors name what is wrong with the configuration and never hold the token.
func New(config Config) (*Client, error) {
	token, err := checkToken(config.Token)
	if err != nil {
		return nil, err
	}
	base, err := wire.BaseURL("vk: the API address", config.BaseURL, defaultBaseURL)
	if err != nil {
		return nil, err
	}
	timeout := cmp.Or(max(config.Timeout, 0), DefaultTimeout)
	client := &Client{wire: wire.NewClient(token, config.Proxy), sdk: api.NewVK(token), token: token, timeout: timeout,
		uploadTimeout: cmp.Or(max(config.UploadTimeout, 0), 3*timeout), secure: strings.HasPrefix(base, "https:")}
	client.sdk.MethodURL, client.sdk.Version, client.sdk.UserAgent = base+"/", apiVersion, "vestnik"
	client.sdk.Handler = client.handle
	return client, nil
}

// checkToken accepts what can stand in a header. VK has changed what its keys look like several times.
func checkToken(token string) (string, error) {
	token = strings.TrimSpace(token)
	if token == "" {
		return "", errors.New("vk: the access key is empty; set it to a service, community or user key")
	}
	for _, r := range token {
		if r <= ' ' || r > '~' || r == '"' || r == '\'' {
			return "", errors.New("vk: the access key holds a character no key has (a space, a quote, a line break, " +
				"or one outside ASCII); copy it again")
		}
	}
	return token, nil
}
