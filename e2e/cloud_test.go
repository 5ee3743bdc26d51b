package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
)

// Temporal Cloud asks for TLS, a namespace, and a key or a certificate. A worker
// gets there by its settings; what lacks them is refused.
func TestATemporalThatAsksForACredentialIsReachedBySettingsAlone(t *testing.T) {
	const apiKey = "e2e-temporal-api-key-secret-000000000000"
	certificate, certificateFile, keyFile := clientCertificate(t)
	for name, test := range map[string]struct {
		clients  *x509.CertPool
		allowed  func(*http.Request) bool
		settings map[string]string
	}{
		"an API key": {
			allowed:  func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+apiKey },
			settings: map[string]string{"TEMPORAL_API_KEY": apiKey},
		},
		"a client certificate": {
			clients:  pool(certificate),
			allowed:  func(r *http.Request) bool { return len(r.TLS.VerifiedChains) > 0 },
			settings: map[string]string{"TEMPORAL_TLS_CLIENT_CERT_PATH": certificateFile, "TEMPORAL_TLS_CLIENT_KEY_PATH": keyFile},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat)
			gate := &gatekeeper{clients: test.clients, allowed: test.allowed}
			s.environ["TEMPORAL_ADDRESS"], s.environ["TEMPORAL_TLS_SERVER_CA_CERT_PATH"] = gate.open(t, s.environ["TEMPORAL_ADDRESS"])
			stranger := s.spawn()
			s.dies(stranger)
			require.Zero(t, gate.passed.Load())

			for variable, value := range test.settings {
				s.environ[variable] = value
			}
			s.spawn()
			require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(1))).Status)
			require.NotZero(t, gate.passed.Load())
			require.False(t, s.logs.holds(apiKey))
		})
	}
}

// gatekeeper is a TLS server before Temporal that asks for a credential.
type gatekeeper struct {
	clients *x509.CertPool // who must show a certificate; nil: nobody
	allowed func(*http.Request) bool
	passed  atomic.Int64
}

// open returns where the gate is and the file of its certificate.
func (g *gatekeeper) open(t *testing.T, temporal string) (address, certificateFile string) {
	t.Helper()
	plain := &http.Transport{Protocols: new(http.Protocols)}
	plain.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(plain.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: temporal}) },
		Transport:     plain,
		FlushInterval: -1,
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.allowed(r) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		g.passed.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	if g.clients != nil {
		server.TLS = &tls.Config{ClientCAs: g.clients, ClientAuth: tls.RequireAndVerifyClientCert}
	}
	server.StartTLS()
	t.Cleanup(server.CloseClientConnections)
	certificateFile = filepath.Join(t.TempDir(), "server.pem")
	writePEM(t, certificateFile, "CERTIFICATE", server.Certificate().Raw)
	return server.Listener.Addr().String(), certificateFile
}

func clientCertificate(t *testing.T) (certificate *x509.Certificate, certificateFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err = x509.ParseCertificate(raw)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certificateFile, keyFile = filepath.Join(t.TempDir(), "client.pem"), filepath.Join(t.TempDir(), "client.key")
	writePEM(t, certificateFile, "CERTIFICATE", raw)
	writePEM(t, keyFile, "PRIVATE KEY", encoded)
	return certificate, certificateFile, keyFile
}

func writePEM(t *testing.T, path, kind string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600))
}

func pool(certificate *x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return pool
}
