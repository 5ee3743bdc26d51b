package console

import (
	"net/url"
	"strings"

	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

// links lead from the console to where things can be seen.
type links struct {
	temporal                   string // up to and with /workflows
	sandbox                    string
	sandboxTelegram, sandboxVK bool
}

func newLinks(settings Config) links {
	links := links{
		sandbox:         settings.SandboxURL,
		sandboxTelegram: settings.SandboxTelegram && settings.SandboxURL != "",
		sandboxVK:       settings.SandboxVK && settings.SandboxURL != "",
	}
	if settings.TemporalUI != "" {
		links.temporal = strings.TrimRight(settings.TemporalUI, "/") + "/namespaces/" + url.PathEscape(settings.Namespace) + "/workflows"
	}
	return links
}

// temporalHome is the list of what needs a person, "" without a Web UI.
func (l links) temporalHome() string {
	if l.temporal == "" {
		return ""
	}
	return l.temporal + "?query=" + url.QueryEscape(protocol.InboxQuery)
}

// workflow is the page of a workflow's latest run.
func (l links) workflow(id string) string {
	if l.temporal == "" || id == "" {
		return ""
	}
	return l.temporal + "/" + url.PathEscape(id)
}

// source is the post where it was found.
func (l links) source(ownerID, postID int64) string {
	if l.sandboxVK {
		return l.sandbox
	}
	return "https://vk.com/" + protocol.WallPost(ownerID, postID)
}

// message is what readers see of a delivery; "" where a chat has no
// addresses, as a private one and a group that is not a supergroup.
func (l links) message(destination string, migratedTo *int64, messageID int64) string {
	to, err := route.ParseDestination(destination)
	if err != nil {
		return ""
	}
	if to.Platform == route.VK && l.sandboxVK || to.Platform == route.Telegram && l.sandboxTelegram {
		return l.sandbox
	}
	if migratedTo != nil {
		to = to.WithChat(*migratedTo)
	}
	return to.MessageURL(messageID)
}

// outside returns a link that a page may offer: VK's own words end up in it.
func outside(link string) string {
	address, err := url.Parse(link)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" {
		return ""
	}
	return link
}
