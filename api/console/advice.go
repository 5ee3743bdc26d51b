package console

import (
	"slices"

	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// waitsForPerson tells whether a delivery in this status waits for an operator.
func waitsForPerson(status string) bool {
	return status == protocol.StatusParked || status == protocol.StatusUnknown
}

// problemTitle says what a problem is, for a reader who has not met it before.
func problemTitle(p protocol.Problem) string {
	switch p.Kind {
	case protocol.ProblemNoWorker:
		return "Nothing is worked on"
	case protocol.ProblemReadingPaused:
		return "VK has stopped the reading key: no wall is read"
	case protocol.ProblemReadingOverdue:
		return words.Count(p.Count, "wall is due and not read", "walls are due and not read")
	case protocol.ProblemQuotaSpent:
		return "The day's calls of wall.get are spent: no wall is read"
	case protocol.ProblemBlocked:
		return "Refused by the platform and stopped, " + words.Count(p.Count, "delivery waits", "deliveries wait")
	case protocol.ProblemPaused:
		return "Paused, " + words.Count(p.Count, "delivery waits", "deliveries wait")
	case protocol.ProblemBacklog:
		return words.Count(p.Count, "delivery does not get on", "deliveries do not get on")
	case protocol.ProblemCooling:
		return "Silent for long, " + words.Count(p.Count, "delivery waits", "deliveries wait")
	case protocol.ProblemWallClosed:
		return "VK does not show the wall"
	case protocol.ProblemWallFailing:
		return "The wall can't be read"
	default:
		return words.Count(p.Count, "delivery waits for you", "deliveries wait for you")
	}
}

// problemLink is the page on which a problem is looked into.
func problemLink(p protocol.Problem) string {
	switch p.Kind {
	case protocol.ProblemDeliveries:
		return listFilter{}.Link(p.Status, p.Subject, 0)
	case protocol.ProblemBlocked, protocol.ProblemPaused, protocol.ProblemBacklog, protocol.ProblemCooling:
		return Path + "destinations"
	case protocol.ProblemNoWorker:
		return Path
	default:
		return Path + "walls"
	}
}

func statusMeaning(status string) string { return statusMeanings[status] }

var statusMeanings = map[string]string{
	protocol.StatusPending:    "waits for its turn",
	protocol.StatusSending:    "an attempt is under way",
	protocol.StatusSent:       "every part arrived",
	protocol.StatusFailed:     "refused for good",
	protocol.StatusParked:     "waits for a person",
	protocol.StatusUnknown:    "may or may not have arrived; waits for a person",
	protocol.StatusSuppressed: "not to be sent",
}

// advice is what a reason means and what an operator does about it.
type advice struct{ Means, Remedy string }

// adviceOn explains a reason slug; nil for one that needs no explanation.
// The slugs are the platforms' catalogues' and package protocol's.
func adviceOn(reason string) *advice {
	for i := range advices {
		if slices.Contains(advices[i].reasons, reason) {
			return &advices[i].advice
		}
	}
	return nil
}

var advices = []struct {
	reasons []string
	advice
}{
	{[]string{protocol.ReasonOutcomeUnknown}, advice{
		"The request went out and no answer came back. Readers may have the message already.",
		"Look at the destination. It is there: mark as sent. It is not: retry.",
	}},
	{[]string{protocol.ReasonUnavailable, "unreachable"}, advice{
		"The platform did not answer in all attempts, over a quarter of an hour or so.",
		"Check the platform and the network, then retry.",
	}},
	{[]string{protocol.ReasonUnsure}, advice{
		"Its rule asks a person about posts whose type is not sure (min_confidence).",
		"Read the post. It is one to be sent: publish. It is not: do not publish.",
	}},
	{[]string{protocol.ReasonApproval}, advice{
		"Its rule or its destination has a person approve what is sent (approve). Nothing has gone out.",
		"Read the message below, as readers would see it: publish it, or do not.",
	}},
	{[]string{protocol.ReasonCaptcha, "recaptcha_needed"}, advice{
		"VK wants a person to prove that they are one.",
		"Solve it below and send the answer along. Wrong answers in a row lead to flood control, so ask for a fresh one (retry) when in doubt.",
	}},
	{[]string{"unauthorized"}, advice{
		"Telegram does not accept the bot's token.",
		"Put the right TG_TOKEN in place, restart the worker, resume the destination, then retry.",
	}},
	{[]string{"forbidden"}, advice{
		"The bot was removed from the chat or may not write there.",
		"Add the bot again with the right to post, resume the destination, then retry.",
	}},
	{[]string{"chat_not_found", "thread_not_found", "topic_closed"}, advice{
		"The chat or its topic is gone, or closed to the bot.",
		"Check TG_CHAT and TG_THREAD_ID or the route, reopen the topic, then retry.",
	}},
	{[]string{"not_configured"}, advice{
		"This destination is not in the configuration any more.",
		"Put it back and restart the worker, or skip the delivery.",
	}},
	{[]string{"key_invalid", "key_expired", "key_missing", "bad_signature", "user_deactivated", "service_deactivated", "anonymous_key", "app_disabled", "app_in_test_mode", "unknown_app", "bad_app_id", "key_extension_required"}, advice{
		"VK does not accept the key, or the application behind it is switched off.",
		"Put a new VK_OUT_TOKEN in place, restart the worker, resume the destination, then retry.",
	}},
	{[]string{"key_bound_to_ip", "ip_not_allowed"}, advice{
		"The key is bound to another IP address than the worker's.",
		"Make a key from the worker's address, restart the worker, resume the destination, then retry.",
	}},
	{[]string{"community_key_not_allowed", "service_key_not_allowed", "vk_id_key_not_allowed", "permission_denied", "method_not_allowed", "app_type_not_allowed", "method_disabled"}, advice{
		"This kind of key may not post on a wall.",
		"Use a user's key with the rights wall and photos, restart the worker, resume the destination, then retry.",
	}},
	{[]string{"validation_required", "confirmation_required", "key_confirmation", "two_factor_required", "phone_validation_needed", "password_validation_needed", "otp_validation_needed", "email_validation_needed", "action_confirmation", "mobile_not_activated", "signup_required"}, advice{
		"VK wants the owner of the key to confirm who they are.",
		"Log in to VK as that user, confirm, then resume the destination and retry.",
	}},
	{[]string{"access_denied", "wall_closed", "wall_access", "group_access", "post_refused", "private_profile"}, advice{
		"The wall does not take posts from this key.",
		"Check the rights of the key's owner on that wall, resume the destination, then retry.",
	}},
	{[]string{"owner_deleted", "user_banned", "content_blocked", "unknown_group", "unknown_user", "invalid_group_id", "invalid_user_id", "not_found"}, advice{
		"The wall or its owner is blocked, deleted, or never was.",
		"Check the address of the wall. If it is gone for good, skip.",
	}},
	{[]string{"posts_per_day", "scheduled_per_day", "actions_per_day", "ad_posts_per_day", "method_quota", "out_of_limits", "flood_control"}, advice{
		"VK's limit for a day, or its flood control.",
		"Nothing to do: the destination waits by itself. Resuming it early makes the wait longer.",
	}},
	{[]string{"links_forbidden"}, advice{
		"The wall refuses links, even after they were taken out.",
		"Change the wall's settings, then retry, or skip.",
	}},
	{[]string{"unknown_code"}, advice{
		"VK gave an error that is in no list.",
		"The last attempt below has its text. Retry once; if it comes again, skip and tell the developers.",
	}},
}
