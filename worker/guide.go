package worker

import (
	"vestnik/activities"
	"vestnik/internal/protocol"
)

// RegisterGuide registers the guide bot's activities. They run beside its
// sessions, on one queue, so that Temporal may hand them over without a trip
// through the server's queues: a person waits for the screen.
func RegisterGuide(workers *Workers, guide *activities.Guide) {
	workers.On(protocol.TaskQueue).RegisterActivity(guide)
}

// RegisterContent registers the activities that take the CMS's batches in.
func RegisterContent(workers *Workers, content *activities.Content) {
	workers.On(protocol.TaskQueue).RegisterActivity(content)
}
