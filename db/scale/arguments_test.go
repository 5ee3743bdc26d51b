package scale

import (
	"maps"
	"strings"
	"time"
)

// want is what a query is asked for, and what it may take.
type want struct {
	args     map[string]string // by the name of the parameter: an expression of SQL
	settings []string          // that the product makes for its transaction
	pages    int               // if it may touch more than most
	took     time.Duration     // if it may take longer
	whole    bool              // it is to read all that there is
}

// newestOfEach is what a list takes that reads the newest of each destination and
// status, a dozen pages for each: 23 ms of 250 destinations at ten years.
const newestOfEach = 25_000

// byType are arguments for parameters of which nothing else is known.
var byType = map[string]string{
	"bigint": "100", "integer": "1", "smallint": "3", "double precision": "1", "boolean": "true", "text": "'lost'", "interval": "'1 minute'",
	"bytea": "sha256('1')", "jsonb": "'{}'", "timestamp with time zone": "now()",
	"bigint[]": "'{100,101,102}'", "integer[]": "'{1,2,3}'", "text[]": "'{p100,p101,p102}'", "double precision[]": "'{1,2,3}'",
	"bytea[]": "ARRAY[sha256('1'), sha256('2'), sha256('3')]",
}

// byName are arguments for a parameter's name, whatever the query.
var byName = map[string]string{
	"destination": "'telegram:-1001'", "owner_id": "-100", "post_id": "5", "post_ids": "'{3,5,7}'", "destination_id": "7", "most": "100",
	"keys": "ARRAY[1, hashint8extended(1600, 0), hashint8extended(1601, 0)]", "page_size": "8", "page_number": "1000", "count_limit": "8000",
	"size": "200", "queue_number": "30", "list": "'places'", "district_id": "0", "type_id": "0", "subcategory_id": "0", "category_id": "0",
	"source_id": "0", "status": "'parked'", "cause": "'edited'", "mode": "'upsert'", "phase": "'applying'", "subscription": "'subscribed'",
	"since": "now() - interval '72 hours'", "reasons": "'{the author has deleted the post}'", "given_up": "'the author has deleted the post'", "captcha": "NULL", "cut": "NULL",
	"per_key": "40", "until": "now()",
}

var importID = map[string]string{"id": "'import30'"}

// asAsked is what PlanAsAsked sets, searching what SearchByIndexes does.
var (
	asAsked   = []string{"SET LOCAL plan_cache_mode = force_custom_plan"}
	searching = append([]string{"SET LOCAL enable_seqscan = off"}, asAsked...)
)

var wants = map[string]want{
	"InsertImport":           {args: map[string]string{"id": "'import31'", "queue_number": "31"}},
	"FinishImport":           {args: map[string]string{"id": "'import30'", "state": "'done'", "phase": "'finished'"}},
	"GetImport":              {args: importID},
	"LockImport":             {args: importID},
	"EarlierImport":          {args: importID},
	"MoveImport":             {args: importID},
	"AddToImport":            {args: importID},
	"SetImportPhase":         {args: importID},
	"UpsertSubcategory":      {args: map[string]string{"type_id": "1"}},
	"UpsertPlaces":           {args: map[string]string{"district_ids": "'{1,2,3}'"}},
	"UpsertEvent":            {args: map[string]string{"source_id": "1"}},
	"LinkPlaceTypes":         {args: map[string]string{"targets": "'{2,3,4}'", "owners": "'{100,100,100}'"}},
	"LinkPlaceSubcategories": {args: map[string]string{"targets": "'{2,3,4}'", "owners": "'{100,100,100}'"}},
	"LinkEventCategories":    {args: map[string]string{"targets": "'{2,3,4}'", "owners": "'{100,100,100}'"}},
	"LinkCollectionItems":    {args: map[string]string{"positions": "'{101,102,103}'", "places": "'{0,0,0}'"}},
	"KnownWords":             {settings: searching},
	"SearchByIndexes":        {args: map[string]string{"word_similarity": "'0.5'", "ordered": "'on'"}},
	"ListCollections":        {pages: 7_000}, // looks into each; there are a thousand here, and dozens in a city
	"FillEventListings":      {args: map[string]string{"event_ids": "'{100000000}'"}},
	"EventsOfCategories":     {took: time.Second, whole: true}, // where an editor changes how long their events last
	"RecordPhoto":            {args: map[string]string{"state": "'good'"}},
	"StageUnnamed":           {pages: 2_000_000, took: 20 * time.Second, whole: true}, // of a snapshot, once
	"PublishedObjects":       {pages: 8_000},                                          // everything, page by page
	"NamedObjects":           {pages: 20_000, took: 2 * time.Second, whole: true},     // what a table may name, all of it
	"NextNamedObjects":       {args: map[string]string{"list": "'places'", "after_title": "'Кофейня у дома 17'", "after_id": "'p17'", "most": "201"}},
	"ForgetUnnamed":          {pages: 10_000, took: time.Second, whole: true}, // of a batch
	"CountGone":              {pages: 10_000, took: time.Second, whole: true},
	"SumDay":                 {args: map[string]string{"since": "now() - interval '3 days'", "until": "now() - interval '2 days'"}, pages: 10_000},
	"KeepDay":                {args: map[string]string{"day": "now()"}},
	"HiddenObjects":          {pages: 30_000, took: time.Second, whole: true},     // a hundred promos, of a few thousand
	"RepeatedIDs":            {pages: 10_000, took: 2 * time.Second, whole: true}, // of a batch, when it is accepted
	"ForgetStagedObjects":    {pages: 300_000, took: 2 * time.Second, whole: true},
	"ForgetOldImports":       {args: map[string]string{"before": "now() - interval '28 hours'"}, pages: 10_000},
	"RetirePhotos":           {pages: 10_000, took: 2 * time.Second, whole: true},        // after an import
	"CountPhotos":            {pages: 10_000, took: 500 * time.Millisecond, whole: true}, // at most every ten seconds
	"DropPastListings":       {pages: 30_000, args: map[string]string{"over_before": "now()", "max_events": "1000"}},
	"ForgetLinks":            {args: map[string]string{"1": "now() - interval '2000 days'"}},
	"UnwatchWallsExcept":     {pages: 8_000}, // a change of VK_WALLS
	"SentSince":              {args: map[string]string{"1": "now() - interval '1 hour'"}},

	"PostsToBlank/deleted":                   {args: map[string]string{"deleted": "true", "after": "'-infinity'"}, settings: asAsked},
	"PostsToBlank/old":                       {args: map[string]string{"deleted": "false", "after": "now() - interval '9 years'"}, settings: asAsked},
	"ListPlacesByRating":                     {},
	"ListPlacesByRating/of a type":           {args: map[string]string{"type_id": "7", "page_number": "2"}},
	"ListDeliveries":                         {args: anyDelivery(nil), pages: newestOfEach},
	"ListDeliveries/one":                     {args: anyDelivery(map[string]string{"id": "100"})},
	"ListDeliveries/of a case":               {args: anyDelivery(map[string]string{"case_id": "7"})},
	"ListDeliveries/of a post":               {args: anyDelivery(map[string]string{"owner_id": "-100", "post_id": "5"})},
	"ListDeliveries/parked":                  {args: anyDelivery(map[string]string{"status": "'parked'"}), pages: newestOfEach},
	"ListDeliveries/sent":                    {args: anyDelivery(map[string]string{"status": "'sent'"}), pages: newestOfEach},
	"ListDeliveries/to one":                  {args: anyDelivery(map[string]string{"destination": "'telegram:-1007'"})},
	"ListDeliveries/to one without any":      {args: anyDelivery(map[string]string{"destination": "'telegram:-10041'"})},
	"ListDeliveries/pending where none is":   {args: anyDelivery(map[string]string{"destination": "'telegram:-1007'", "status": "'pending'"})},
	"ListDeliveries/pending":                 {args: anyDelivery(map[string]string{"destination": "'telegram:-1001'", "status": "'pending'"})},
	"ListDeliveries/of a type":               {args: anyDelivery(map[string]string{"type": "'sighting'"}), pages: newestOfEach},
	"ListDeliveries/of a type not there":     {args: anyDelivery(map[string]string{"type": "'reunited'"})},
	"ListDeliveries/of a type and parked":    {args: anyDelivery(map[string]string{"type": "'lost'", "status": "'parked'"})},
	"ListDeliveries/of some days long ago":   {args: anyDelivery(map[string]string{"first": "1000", "before": "2000"}), pages: newestOfEach},
	"ListDeliveries/of a type on those days": {args: anyDelivery(map[string]string{"type": "'lost'", "first": "1000", "before": "2000", "status": "'sent'"}), pages: newestOfEach},
	"ListPosts":                              {args: anyPost(nil), settings: asAsked},
	"ListPosts/of a type":                    {args: anyPost(map[string]string{"type": "'sighting'"}), settings: asAsked},
	"ListPosts/of a type that is not there":  {args: anyPost(map[string]string{"type": "'reunited'"}), settings: asAsked},
	"ListPosts/with a phone":                 {args: anyPost(map[string]string{"searched": "true", "phones": "'{+79000000005}'"}), settings: asAsked},
	"ListPosts/with a word":                  {args: anyPost(map[string]string{"searched": "true", "words": "'Барсик:* & 17:*'"}), settings: asAsked},
	"ListPosts/with a word that all have":    {args: anyPost(map[string]string{"searched": "true", "words": "'Рыжик:*'"}), settings: asAsked},
	"ListCases":                              {args: anyCase(nil)},
	"ListCases/one":                          {args: anyCase(map[string]string{"id": "7"})},
	"ListCases/closed":                       {args: anyCase(map[string]string{"closed": "true"})},
	"ListCases/of two posts":                 {args: anyCase(map[string]string{"least_posts": "2"})},
	"ListCases/of so many that there is one": {args: anyCase(map[string]string{"least_posts": "40"})},
	"ListCases/of so many and closed":        {args: anyCase(map[string]string{"least_posts": "40", "closed": "true"})},
	"ListDestinations":                       {args: map[string]string{"name": "NULL"}, pages: 20_000},
	"CountWaiting":                           {args: anyDelivery(nil)},
	"CountWaiting/of a type since some day":  {args: anyDelivery(map[string]string{"type": "'lost'", "first": "1000"})},
	"OpenWhereWaiting":                       {args: anyDelivery(map[string]string{"as_of": "now()"})},
	"WaitingSince":                           {args: anyDelivery(map[string]string{"as_of": "now()"})},
	"SuppressWaiting/of a case":              {args: map[string]string{"case_id": "7", "owner_id": "NULL", "post_id": "NULL"}},
	"SuppressWaiting/of a post":              {args: map[string]string{"case_id": "NULL"}},
	"OweDelivery":                            {args: map[string]string{"post_id": "6"}},
	"RestoreDelivery":                        {args: map[string]string{"status": "'pending'"}},
}

func anyDelivery(but map[string]string) map[string]string {
	args := map[string]string{"status": "NULL", "destination": "NULL", "id": "NULL", "case_id": "NULL", "owner_id": "NULL", "post_id": "NULL",
		"type": "NULL", "first": "0", "before": "9000000000000000000", "statuses": "'{pending,sending,sent,failed,parked,unknown,suppressed}'"}
	maps.Copy(args, but)
	if but["status"] != "" {
		args["statuses"] = "ARRAY[" + but["status"] + "]"
	}
	return args
}

func anyPost(but map[string]string) map[string]string {
	args := map[string]string{"searched": "false", "type": "NULL", "phones": "NULL", "words": "NULL", "since": "now() - interval '180 days'", "until": "now()",
		"before_owner": "1", "before_post": "1", "most": "50"}
	maps.Copy(args, but)
	return args
}

func anyCase(but map[string]string) map[string]string {
	args := map[string]string{"id": "NULL", "closed": "NULL", "least_posts": "0"}
	maps.Copy(args, but)
	return args
}

// variants are the ways in which a query is asked, by a suffix to its name.
func variants(name string) map[string]want {
	found := map[string]want{}
	for key, wanted := range wants {
		if key == name || strings.HasPrefix(key, name+"/") {
			found[strings.TrimPrefix(key, name)] = wanted
		}
	}
	if len(found) == 0 {
		found[""] = want{}
	}
	return found
}
