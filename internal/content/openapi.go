package content

import (
	"fmt"
	"net/http"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
)

// The routes of the CMS.
const (
	ImportPath = "/api/v1/cms/import"
	PhotosPath = "/api/v1/cms/photos"
)

type importRequest struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" description:"the same key gives the same import; without one the content decides"`
	Batch
}

type importID struct {
	ID string `path:"id"`
}

// OpenAPI is the OpenAPI 3.1 description of the CMS's routes, made from this
// package's types.
func OpenAPI() ([]byte, error) {
	reflector := openapi31.NewReflector()
	reflector.DefaultOptions = append(reflector.DefaultOptions, jsonschema.StripDefinitionNamePrefix("Content"))
	reflector.Spec.Info.WithTitle("Vestnik: content of the city guide").WithVersion("1").WithDescription(
		"Batches of content from a CMS. A batch is accepted at once and worked off afterwards; its status tells what became of each object.")
	reflector.Spec.SetHTTPBearerTokenSecurity("cms", "", "CMS_TOKEN")

	for _, route := range []struct {
		method, path, id, summary, description string
		request                                any
		answers                                map[int]any
	}{
		{
			http.MethodPost, ImportPath, "importContent", "Send a batch",
			fmt.Sprintf("Up to %d MiB and %d objects. One bad object is refused and reported, the rest is taken; what is not a batch is refused whole, with the position. "+
				"Batches are worked off one after another in the order of their acceptance. The header Idempotency-Replayed of the answer says that the import was there before.", MaxBatchBytes>>20, MaxObjects),
			importRequest{},
			map[int]any{
				http.StatusAccepted: Accepted{}, http.StatusBadRequest: Fault{}, http.StatusUnauthorized: Fault{},
				http.StatusRequestEntityTooLarge: Fault{}, http.StatusServiceUnavailable: Fault{},
			},
		},
		{
			http.MethodGet, ImportPath + "/{id}", "importStatus", "How an import stands", "",
			importID{},
			map[int]any{http.StatusOK: Status{}, http.StatusUnauthorized: Fault{}, http.StatusNotFound: Fault{}, http.StatusServiceUnavailable: Fault{}},
		},
		{
			http.MethodGet, PhotosPath, "photoReport", "Photos that Telegram would not show",
			"After each import, photos are looked at in the background: reachability, type, size and dimensions.",
			nil,
			map[int]any{http.StatusOK: PhotoReport{}, http.StatusUnauthorized: Fault{}, http.StatusServiceUnavailable: Fault{}},
		},
	} {
		operation, err := reflector.NewOperationContext(route.method, route.path)
		if err != nil {
			return nil, fmt.Errorf("content: describe %s: %w", route.path, err)
		}
		operation.SetID(route.id)
		operation.SetSummary(route.summary)
		if route.description != "" {
			operation.SetDescription(route.description)
		}
		operation.AddSecurity("cms")
		if route.request != nil {
			operation.AddReqStructure(route.request)
		}
		for status, answer := range route.answers {
			operation.AddRespStructure(answer, openapi.WithHTTPStatus(status))
		}
		if err := reflector.AddOperation(operation); err != nil {
			return nil, fmt.Errorf("content: describe %s: %w", route.path, err)
		}
	}
	description, err := reflector.Spec.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("content: write description: %w", err)
	}
	return description, nil
}
