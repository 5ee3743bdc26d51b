package console

import (
	"net/url"
	"slices"
	"strings"

	"vestnik/internal/protocol"
)

// waitsForPerson reports whether a delivery in this status waits for an operator.
func waitsForPerson(status string) bool {
	return status == protocol.StatusParked || status == protocol.StatusUnknown
}

// problem says what a problem is, for a reader who has not met it before.
func (l language) problem(p protocol.Problem) string {
	switch p.Kind {
	case protocol.ProblemReadingOverdue, protocol.ProblemBacklog, protocol.ProblemDeliveries:
		return l.count("problem."+p.Kind, p.Count)
	case protocol.ProblemBlocked, protocol.ProblemPaused, protocol.ProblemCooling:
		return l.say("problem."+p.Kind) + ", " + l.count("problem.waits", p.Count)
	}
	return l.say("problem." + p.Kind)
}

// problemLink is the page on which a problem is looked into.
func problemLink(p protocol.Problem) string {
	switch p.Kind {
	case protocol.ProblemDeliveries:
		return listFilter{Status: p.Status, Destination: p.Subject}.Link()
	case protocol.ProblemBlocked, protocol.ProblemPaused, protocol.ProblemBacklog, protocol.ProblemCooling:
		return Path + "destinations"
	case protocol.ProblemNoWorker, protocol.ProblemSettings:
		return Path
	case protocol.ProblemImportFailed, protocol.ProblemImportHeld:
		return deskPath + "/imports/" + url.PathEscape(p.Subject)
	default:
		return Path + "walls"
	}
}

// advice is what a reason means and what an operator does about it.
type advice struct{ Means, Remedy string }

// advice explains a reason slug; nil for one that needs no explanation.
func (l language) advice(reason string) *advice {
	group, ok := adviceOf(reason)
	if !ok {
		return nil
	}
	return &advice{l.say("advice." + group + ".means"), l.say("advice." + group + ".remedy")}
}

// ReasonInRussian is what a reason means, for whoever reads it outside the console;
// one without words of its own is itself.
func ReasonInRussian(reason string) string {
	if advice := russian.advice(reason); advice != nil {
		return strings.TrimSuffix(advice.Means, ".")
	}
	return russian.reason(reason)
}

func adviceOf(reason string) (group string, ok bool) {
	for group, reasons := range advised {
		if slices.Contains(reasons, reason) {
			return group, true
		}
	}
	return "", false
}

// advised are the reasons for which the catalogue has the same advice, by its
// name there. The slugs are the platforms' catalogues' and package protocol's.
var advised = map[string][]string{
	"outcome_unknown": {protocol.ReasonOutcomeUnknown},
	"unavailable":     {protocol.ReasonUnavailable, "unreachable"},
	"unsure":          {protocol.ReasonUnsure},
	"approval":        {protocol.ReasonApproval},
	"captcha":         {protocol.ReasonCaptcha, "recaptcha_needed"},
	"token":           {"unauthorized"},
	"forbidden":       {"forbidden"},
	"chat_not_found":  {"chat_not_found", "thread_not_found", "topic_closed"},
	"not_configured":  {"not_configured"},
	"key":             {"key_invalid", "key_expired", "key_missing", "bad_signature", "user_deactivated", "service_deactivated", "anonymous_key", "app_disabled", "app_in_test_mode", "unknown_app", "bad_app_id", "key_extension_required"},
	"key_bound_to_ip": {"key_bound_to_ip", "ip_not_allowed"},
	"key_kind":        {"community_key_not_allowed", "service_key_not_allowed", "vk_id_key_not_allowed", "permission_denied", "method_not_allowed", "app_type_not_allowed", "method_disabled"},
	"confirmation":    {"validation_required", "confirmation_required", "key_confirmation", "two_factor_required", "phone_validation_needed", "password_validation_needed", "otp_validation_needed", "email_validation_needed", "action_confirmation", "mobile_not_activated", "signup_required"},
	"access_denied":   {"access_denied", "wall_closed", "wall_access", "group_access", "post_refused", "private_profile"},
	"owner_gone":      {"owner_deleted", "user_banned", "content_blocked", "unknown_group", "unknown_user", "invalid_group_id", "invalid_user_id", "not_found"},
	"day_limit":       {"posts_per_day", "scheduled_per_day", "actions_per_day", "ad_posts_per_day", "method_quota", "out_of_limits", "flood_control"},
	"links_forbidden": {"links_forbidden"},
	"unknown_code":    {"unknown_code"},
}
