package content

import (
	"encoding/json"
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
	ImportQuery
	Batch
}

type importID struct {
	ID string `path:"id"`
}

type confirmRequest struct {
	importID
	Confirmation
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
			fmt.Sprintf("JSON, or tables as editors have them: CSV (UTF-8, UTF-16 or Windows-1251; comma, semicolon or tab), xlsx, or a zip of those, told by the content. "+
				"Up to %d MiB and %d objects. One bad object is refused and reported, the rest is taken; what is not a batch is refused whole, with the position. "+
				"Batches are worked off one after another in the order of their acceptance. The header Idempotency-Replayed of the answer says that the import was there before; a key that stands for another batch is answered 422. "+
				"A snapshot that would unpublish more than 20 %% of a list is held and answered 409 until its number is confirmed.", MaxBatchBytes>>20, MaxObjects),
			importRequest{},
			map[int]any{
				http.StatusAccepted: Accepted{}, http.StatusBadRequest: Fault{}, http.StatusUnauthorized: Fault{},
				http.StatusConflict: Fault{}, http.StatusRequestEntityTooLarge: Fault{}, http.StatusUnprocessableEntity: Fault{}, http.StatusServiceUnavailable: Fault{},
			},
		},
		{
			http.MethodGet, ImportPath, "importHistory", "The latest imports", "Who sent what, and what became of it; kept for 30 days.",
			nil,
			map[int]any{http.StatusOK: []Status{}, http.StatusUnauthorized: Fault{}},
		},
		{
			http.MethodPost, ImportPath + "/{id}/confirm", "confirmImport", "Let a held import be applied", "",
			confirmRequest{},
			map[int]any{http.StatusAccepted: Accepted{}, http.StatusUnauthorized: Fault{}, http.StatusNotFound: Fault{}, http.StatusConflict: Fault{}},
		},
		{
			http.MethodPost, ImportPath + "/{id}/undo", "undoImport", "Take an import back",
			"The objects that it wrote are as they were before it; those that a later import wrote stay. The undo is an import of its own.",
			importID{},
			map[int]any{http.StatusAccepted: Accepted{}, http.StatusUnauthorized: Fault{}, http.StatusNotFound: Fault{}},
		},
		{
			http.MethodDelete, ImportPath + "/{id}", "discardImport", "Forget a held import", "",
			importID{},
			map[int]any{http.StatusNoContent: nil, http.StatusUnauthorized: Fault{}, http.StatusNotFound: Fault{}},
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
	plain, err := reflector.Spec.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("content: write description: %w", err)
	}
	return withExamples(plain)
}

// examples are what a batch looks like in each of its forms.
var examples = map[string]any{
	"application/json": json.RawMessage(`{"mode": "upsert",
		"districts": [{"id": "center", "name": "Центр"}],
		"types": [{"id": "cafe", "name": "Кофейни"}],
		"places": [{"id": "p1", "name": "Кофейня", "address": "Ольховск, ул. Речная, 4", "rating": 4.7, "district": "center", "types": ["cafe"],
			"photos": ["https://example.com/1.jpg"], "lat": 56.85, "lon": 53.2, "phone": "+7 900 000-00-00", "site": "https://example.com"}],
		"events": [{"id": "e1", "title": "Концерт", "starts_at": "2026-12-05T19:00:00+04:00", "place": "p1", "price": "от 500 ₽"}],
		"promos": [{"id": "a1", "title": "−10 % на фильтр", "place": "p1", "code": "РЕЧНАЯ10", "ends_at": "2026-12-31T23:59:59+04:00"}],
		"unpublish": {"places": ["p0"]}}`),
	"text/csv": "Название;Адрес;Район;Тип;Рейтинг;Телефон;Фото\nКофейня;Ольховск, ул. Речная, 4;Центр;Кофейни;4,7;8 900 000-00-00;https://example.com/1.jpg\n",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": nil,
	"application/zip": nil,
}

func withExamples(plain []byte) ([]byte, error) {
	var description map[string]any
	if err := json.Unmarshal(plain, &description); err != nil {
		return nil, fmt.Errorf("content: read description: %w", err)
	}
	at := description
	for _, step := range []string{"paths", ImportPath, "post", "requestBody", "content"} {
		at, _ = at[step].(map[string]any) // written above
	}
	for form, example := range examples {
		media, _ := at[form].(map[string]any)
		if media == nil {
			media = map[string]any{"schema": map[string]any{"type": "string"}}
			at[form] = media
		}
		if example != nil {
			media["example"] = example
		}
	}
	return json.Marshal(description)
}
