package guide

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"vestnik/internal/words"
)

// Texts is everything that the guide says; its screens are its methods. A field
// is called in the file as here, in lower case: Buttons.AnyType is any_type of
// the section buttons.
type Texts struct {
	Buttons struct {
		Places, Events, Collections, Favourites, Promos, Help, Back, MainMenu, Next, More, Add, Remove, Map, Share, Near string
		Find, AllNear, District, Type, Subcategory, Date, Category, Source, AnyDistrict, AnyType, AnySubcategory, AnyDay string
		AnyCategory, AnySource, BestFirst, ByName, Reset, Today, Tomorrow, Weekend, AboutPlace, EventPage, PromoPlace    string
		CopyCode, Drop, DropNamed, Subscribe, Check, Contact, Channel                                                    string
	}
	Toasts struct {
		Stale, OpenBot string
	}
	Notices struct {
		Gone, Stale, Expired, Hello, NoHits string
	}
	Screens struct {
		Menu, Gate, GateAgain, Help, HelpContact, HelpChannel, Near, Find string
	}
	Lists struct {
		Places, PlacesCount, NoPlaces, Events, EventsCount, NoEvents, NothingFiltered, Collections, NoCollections    string
		EmptyCollection, Favourites, NoFavourites, Promos, NoPromos, Found, Near, NothingFound, Page, ChooseDistrict string
		ChooseType, ChooseSubcategory, ChooseCategory, ChooseSource, ChooseDay, Untitled, Gone, Past, Added, Removed string
	}
	Fields struct {
		Name, Address, Rating, Phone, District, Type, Subcategory, Kinds, Site, When, Where, Price, Category, Source, Place string
		Offer, Code, Valid                                                                                                  string
	}
	Times struct {
		Now, OnUntil, Today, Tomorrow, Weekend, Begins, ValidThrough, ValidUntil, Unlimited, Metres, Kilometres, Months string
		ShortMonths, Weekdays                                                                                           string
	}
}

// TextsFile is the texts as the guide has them, in the form that [ReadTexts]
// takes.
//
//go:embed texts.yaml
var TextsFile string

var defaultTexts = func() *Texts {
	texts := new(Texts)
	if faults := texts.replace([]byte(TextsFile)); faults != nil {
		panic(fmt.Sprint("guide: texts.yaml: ", faults))
	}
	return texts
}()

// DefaultTexts are the texts of [TextsFile]. Nobody may change them.
func DefaultTexts() *Texts { return defaultTexts }

// TextFault is one thing in a file of texts that can't be meant.
type TextFault struct {
	Line    int    // from 1; 0 is the file as a whole
	Problem string // "buttons.bak is not known"
	Remedy  string
}

// ReadTexts reads a city's texts, YAML; what the file does not name stays as it
// is in [TextsFile]. It finds all faults at once.
func ReadTexts(file []byte) (*Texts, []TextFault) {
	texts := *defaultTexts
	return &texts, texts.replace(file)
}

// textLimit bounds the texts of a section. A toast's is Telegram's; a screen's
// leaves room for what stands around it in a message; a button that is longer
// is cut off on a phone.
type textLimit struct {
	letters int
	oneLine bool
}

var textLimits = map[string]textLimit{
	"buttons": {64, true}, "toasts": {200, false}, "notices": {500, false}, "screens": {1500, false},
	"lists": {200, false}, "fields": {64, true}, "times": {200, true},
}

// named are the texts by section and name.
func (t *Texts) named() map[string]map[string]*string {
	sections := map[string]map[string]*string{}
	for section, texts := range reflect.ValueOf(t).Elem().Fields() {
		named := map[string]*string{}
		for text, value := range texts.Fields() {
			named[snakeCase(text.Name)] = value.Addr().Interface().(*string)
		}
		sections[snakeCase(section.Name)] = named
	}
	return sections
}

func snakeCase(name string) string {
	var snake strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(r))
	}
	return snake.String()
}

const allTexts = "`vestnik bot texts` prints all names"

// replace puts a file's texts in the place of those that are there.
func (t *Texts) replace(file []byte) (faults []TextFault) {
	fault := func(node ast.Node, remedy, problem string, args ...any) {
		faults = append(faults, TextFault{node.GetToken().Position.Line, fmt.Sprintf(problem, args...), remedy})
	}
	parsed, err := parser.ParseBytes(file, 0)
	if err != nil {
		return []TextFault{notYAML(err)}
	}
	sections := t.named()
	for _, document := range parsed.Docs {
		eachKey(document.Body, fault, func(section string, key, texts ast.Node) {
			known := sections[section]
			if known == nil {
				fault(key, nearestText(section, sections), "%s is no section", section)
				return
			}
			eachKey(texts, fault, func(name string, key, value ast.Node) {
				text, whole := known[name], section+"."+name
				if text == nil {
					fault(key, nearestText(name, known), "%s is not known", whole)
					return
				}
				said, ok := plainText(value)
				if !ok {
					fault(value, "write it in quotes", "%s is no text", whole)
					return
				}
				if problem, remedy := textProblem(*text, said, textLimits[section]); problem != "" {
					fault(value, remedy, "%s %s", whole, problem)
				}
				*text = said
			})
		})
	}
	return faults
}

func notYAML(err error) TextFault {
	fault := TextFault{Problem: "is no YAML: " + err.Error(), Remedy: "write texts with a colon, a # or a brace in quotes"}
	if located, is := errors.AsType[yaml.Error](err); is {
		fault.Problem = "is no YAML: " + located.GetMessage()
		if token := located.GetToken(); token != nil && token.Position != nil {
			fault.Line = token.Position.Line
		}
	}
	return fault
}

// eachKey goes through a mapping; nothing and a null have no keys.
func eachKey(node ast.Node, fault func(ast.Node, string, string, ...any), visit func(name string, key, value ast.Node)) {
	switch n := node.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
	case *ast.MappingNode:
		for _, entry := range n.Values {
			visit(entry.Key.GetToken().Value, entry.Key, entry.Value)
		}
	default:
		fault(node, allTexts, "there should be names with texts here")
	}
}

func plainText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return strings.TrimSpace(n.Value), true
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	}
	return "", false
}

func nearestText[T any](name string, known map[string]T) string {
	if near := words.Nearest(name, slices.Collect(maps.Keys(known))); near != "" {
		return "did you mean " + near + "? " + allTexts
	}
	return allTexts
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// textProblem compares a city's text with the guide's own, which is "" while
// that is read itself.
func textProblem(own, said string, limit textLimit) (problem, remedy string) {
	length := utf8.RuneCountInString(said)
	switch {
	case said == "":
		return "is empty", "write a text, or leave the name out"
	case length > limit.letters:
		return fmt.Sprintf("has %d letters", length), fmt.Sprintf("at most %d fit", limit.letters)
	case limit.oneLine && strings.ContainsAny(said, "\r\n"):
		return "has several lines", "write it in one"
	case own == "":
		return "", ""
	}
	if want, is := forms(own), forms(said); len(want) > 1 && (len(is) != len(want) || slices.Contains(is, "")) {
		return fmt.Sprintf("has %d forms", len(is)), fmt.Sprintf("write %d, with | between them, as in: %s", len(want), own)
	}
	holds, given := placeholder.FindAllString(own, -1), placeholder.FindAllString(said, -1)
	for _, hole := range given {
		if !slices.Contains(holds, hole) {
			return "has " + hole + ", which nothing fills", "write it without, as in: " + own
		}
	}
	for _, hole := range holds {
		if !slices.Contains(given, hole) {
			return "lacks " + hole, "write it where it belongs, as in: " + own
		}
	}
	return "", ""
}

// forms are the parts of a text between bars.
func forms(text string) []string {
	parts := strings.Split(text, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// fill puts values in the place of a text's holes: name, value, name, value.
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// counted is a number with its noun, of which there are three forms.
func counted(n int, noun string) string {
	of := forms(noun)
	return words.Russian(n, of[0], of[1], of[2])
}
