package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

const (
	// photoRound is how many photos one activity looks at.
	photoRound = 100
	// scheduledRounds bounds how many photos one run of the schedule looks at:
	// 3,000 each half hour, so that 100,000 have their turn within a day.
	scheduledRounds = 30
)

// CheckPhotos looks at the guide's photos that are due, between imports: a
// good one daily, a bad one every six hours, one whose server did not answer
// each time. What it does not get to, the next run of the schedule does.
func CheckPhotos(ctx workflow.Context) (protocol.CheckPhotosResult, error) {
	var result protocol.CheckPhotosResult
	err := lookAtPhotos(ctx, scheduledRounds, func(checked protocol.CheckPhotosResult) {
		result = checked
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%s looked at, %d bad", words.Count(checked.Checked, "photo", "photos"), checked.Bad))
	})
	return result, err
}

// lookAtPhotos goes round by round until none is due; before the first and after
// each it reports what they came to so far.
func lookAtPhotos(ctx workflow.Context, rounds int, tell func(protocol.CheckPhotosResult)) error {
	var content *activities.Content
	var sum protocol.CheckPhotosResult
	tell(sum)
	for round := range rounds {
		var checked protocol.CheckPhotosResult
		err := execute(ctx, activities.ImportAfterwardsOptions(fmt.Sprintf("photos, round %d", round+1)), content.CheckPhotos, &checked, protocol.CheckPhotosInput{MaxPhotos: photoRound})
		if err != nil {
			return err
		}
		sum.Checked += checked.Checked
		sum.Bad += checked.Bad
		tell(sum)
		if checked.Checked < photoRound {
			break
		}
	}
	return nil
}
