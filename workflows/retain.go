package workflows

import (
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/words"
)

// Retain blanks the posts that are kept no longer: those that were deleted at
// the source, and those older than DATA_RETENTION_DAYS. Its schedule runs it
// every hour; what one run does not get to, the next one does. It returns how
// many.
func Retain(ctx workflow.Context) (blanked int, err error) {
	var retention *activities.Retention
	err = execute(ctx, activities.RecoveryOptions("blank posts that are kept no longer"), retention.BlankPosts, &blanked)
	workflow.SetCurrentDetails(ctx, words.Count(blanked, "post", "posts")+" blanked")
	return blanked, err
}
