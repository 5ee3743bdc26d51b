// Package sandbox is a local Telegram Bot API and a local VK API over HTTP on
// one port, strict where the real ones are. `make run` uses it where no
// tokens are configured, with a page for people; tests use it with the real
// client libraries.
package sandbox
