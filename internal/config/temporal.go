package config

import (
	"cmp"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"

	"vestnik/internal/payload"
)

// Temporal is how to reach the Temporal cluster. Besides the variables below,
// everything that the SDK's envconfig knows works too: TEMPORAL_PROFILE and
// TEMPORAL_CONFIG_FILE, TEMPORAL_TLS_…, TEMPORAL_GRPC_META_….
type Temporal struct {
	Address   string `env:"TEMPORAL_ADDRESS" about:"host:port of the Temporal frontend; empty: vestnik dev starts one"`
	Namespace string `env:"TEMPORAL_NAMESPACE" about:"namespace of all workflows; empty: default"`
	APIKey    Secret `env:"TEMPORAL_API_KEY" about:"API key, if the cluster asks for one"`
	TLS       string `env:"TEMPORAL_TLS" about:"true or false; on by itself if an API key or certificate is set"`
	ClientKey Secret `env:"TEMPORAL_TLS_CLIENT_KEY_DATA" about:"PEM of the mTLS client key; TEMPORAL_TLS_CLIENT_KEY_PATH names a file instead"`

	// PayloadKeys are read by package payload.
	PayloadKeys Secret `env:"PAYLOAD_KEYS" about:"encrypts what Temporal keeps: id:base64 of 32 bytes, separated by commas; the first key encrypts, all decrypt; the word clear in place of the first encrypts nothing yet"`

	// Behind a pointer, because the options hold the API key in the clear.
	options *client.Options
}

// ClientOptions are the SDK's connection options as envconfig made them: host,
// namespace, credentials, TLS, headers; with PAYLOAD_KEYS the payloads are
// encrypted. The caller adds logger, metrics and interceptors.
func (t Temporal) ClientOptions() client.Options {
	options := client.Options{HostPort: t.Address, Namespace: t.Namespace}
	if t.options != nil {
		options = *t.options
	}
	if codec := t.Codec(); codec != nil {
		codec.Equip(&options)
	}
	return options
}

// Codec is that of PAYLOAD_KEYS, nil if it is not set or faulty.
func (t Temporal) Codec() *payload.Codec {
	if !t.PayloadKeys.IsSet() {
		return nil
	}
	codec, err := payload.ParseKeys(t.PayloadKeys.Reveal())
	if err != nil {
		return nil // check has said so
	}
	return codec
}

func (t *Temporal) load(values map[string]string, faults *faultList) {
	profile, err := envconfig.LoadClientConfigProfile(envconfig.LoadClientConfigProfileOptions{EnvLookup: lookup(values)})
	if err != nil {
		faults.add("TEMPORAL_CONFIG_FILE", "cannot be used", "check the file and TEMPORAL_PROFILE, or unset both")
		return
	}
	options, err := profile.ToClientOptions(envconfig.ToClientOptionsRequest{})
	if err != nil {
		faults.add("TEMPORAL_TLS", "and its certificates cannot be used",
			"set certificate and key both, each as a path or as PEM data, and the CA in PEM")
		return
	}
	options.Namespace = cmp.Or(options.Namespace, client.DefaultNamespace)
	t.Address, t.Namespace = options.HostPort, options.Namespace
	t.options = &options
}

func (t *Temporal) check(faults *faultList, need func(Need) bool) {
	if t.Address != "" {
		// A gRPC target such as dns:///host:port is as good as host:port.
		if !strings.Contains(t.Address, "://") {
			faults.hostPort("TEMPORAL_ADDRESS", t.Address)
		}
	} else if need(NeedTemporal) {
		faults.add("TEMPORAL_ADDRESS", "is not set",
			"set it to host:port of the Temporal frontend, such as 127.0.0.1:7233, or use `vestnik dev`, which starts its own")
	}
	if t.PayloadKeys.IsSet() && t.Codec() == nil {
		faults.add("PAYLOAD_KEYS", "is not a list of keys", "write each as id:base64 of 32 bytes (`openssl rand -base64 32`), with ids of their own, separated by commas")
	}
	switch strings.ToLower(t.TLS) {
	case "", "true", "false", "1", "0":
	default:
		faults.add("TEMPORAL_TLS", "cannot be understood", "write true or false")
	}
}

// lookup lets envconfig read a map in place of the process's environment.
type lookup map[string]string

func (l lookup) Environ() []string {
	pairs := make([]string, 0, len(l))
	for name, value := range l {
		pairs = append(pairs, name+"="+value)
	}
	return pairs
}

func (l lookup) LookupEnv(name string) (string, bool) {
	value, ok := l[name]
	return value, ok
}
