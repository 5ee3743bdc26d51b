package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASlipInAVariablesNameIsNoticed(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TG_CHAT_FILE", "TG_CHAT_ID", "VK_TOKENS"}, Unknown(map[string]string{
		"TG_CHAT_ID": "-1", "TG_CHAT": "-1", "TG_TOKEN_FILE": "/x", "VK_TOKENS": "k", "LOG_DIR": "/var", "PATH": "/bin",
		"TG_CHAT_FILE": "/x",
	}))
}
