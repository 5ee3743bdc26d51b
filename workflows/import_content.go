package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

const (
	// photoRounds bounds how many photos one import looks at; the schedule
	// goes on where it stopped.
	photoRounds = 200
	// tidyAfter is how many written objects make Postgres's knowledge of the
	// guide's tables out of date.
	tidyAfter = 1000
)

// ImportContent takes one accepted CMS batch into the guide, after those
// accepted before it. The batch and how far it is are in the database; a step
// that is repeated goes on where the last transaction ended. Once the content
// is in place the next import may begin, while this one looks at the photos.
func ImportContent(ctx workflow.Context, input protocol.ImportContentInput) (protocol.ImportContentResult, error) {
	i := &contentImport{input: input}
	if err := i.apply(ctx); err != nil {
		i.giveUp(ctx, err)
		return i.result, err
	}
	if i.result.Open {
		i.describe(ctx, "waits for a person")
		return i.result, nil
	}
	i.tidy(ctx)
	i.checkPhotos(ctx)
	i.describe(ctx, "finished")
	return i.result, nil
}

type contentImport struct {
	input  protocol.ImportContentInput
	result protocol.ImportContentResult
}

func (i *contentImport) apply(ctx workflow.Context) error {
	var content *activities.Content
	i.describe(ctx, "waits for its turn")
	if err := execute(ctx, activities.ImportTurnOptions(), content.AwaitImportTurn, nil, i.input); err != nil {
		return err
	}
	i.describe(ctx, "objects go into the guide")
	if err := execute(ctx, activities.ImportStepOptions("take the objects in"), content.ApplyImport, nil, i.input); err != nil {
		return err
	}
	if err := execute(ctx, activities.ImportStepOptions("unpublish what a snapshot left out"), content.UnpublishImport, nil, i.input); err != nil {
		return err
	}
	return execute(ctx, activities.ImportStepOptions("count and close"), content.FinishImport, &i.result, i.input)
}

// giveUp records the failure even when the import was cancelled, so that those
// behind it go on.
func (i *contentImport) giveUp(ctx workflow.Context, cause error) {
	var content *activities.Content
	const reason = "the import could not be brought to its end; send the batch again"
	ctx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if err := execute(ctx, activities.ImportStepOptions("give the import up"), content.FailImport, nil, i.input, reason); err != nil {
		workflow.GetLogger(ctx).Error("failed import not recorded", "import", i.input.ImportID, "error", err, "cause", cause)
	}
}

func (i *contentImport) tidy(ctx workflow.Context) {
	if i.result.Created+i.result.Changed+i.result.Unpublished < tidyAfter {
		return
	}
	var content *activities.Content
	if err := execute(ctx, activities.ImportAfterwardsOptions("refresh Postgres's statistics"), content.TidyGuide, nil); err != nil {
		workflow.GetLogger(ctx).Warn("guide not tidied: Postgres will do it by itself, later", "error", err)
	}
}

// checkPhotos looks at what is due. Nobody waits for it, and what it does not
// get to stays due.
func (i *contentImport) checkPhotos(ctx workflow.Context) {
	err := lookAtPhotos(ctx, photoRounds, func(checked protocol.CheckPhotosResult) {
		i.result.PhotosChecked, i.result.PhotosBad = checked.Checked, checked.Bad
		i.describe(ctx, "content is in place; looks at photos")
	})
	if err != nil {
		workflow.GetLogger(ctx).Warn("photos not looked at: they stay due", "error", err)
	}
	var content *activities.Content
	if err := execute(ctx, activities.ImportAfterwardsOptions("photos done"), content.CloseImport, nil, i.input); err != nil {
		workflow.GetLogger(ctx).Warn("end of the photos not recorded", "error", err)
	}
}

// describe shows an operator in Temporal's UI how the import stands.
func (i *contentImport) describe(ctx workflow.Context, now string) {
	r := i.result
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%s\n\n%s: %d created, %d changed, %d unchanged, %d refused; %d unpublished; %s looked at, %d bad",
		now, words.Count(r.Objects, "object", "objects"), r.Created, r.Changed, r.Unchanged, r.Refused, r.Unpublished,
		words.Count(r.PhotosChecked, "photo", "photos"), r.PhotosBad))
}
