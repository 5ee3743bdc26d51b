package content

import (
	"fmt"
	"strings"
	"time"
)

// SampleCity is the content of Ольховск, a city that does not exist: 6
// districts, 40 places, 30 events in the weeks after now (in now's time zone),
// 6 collections and 12 promos, for development and demonstrations. Photos get
// addresses below photoBase, such as the sandbox's
// http://127.0.0.1:8081/sandbox/photos; an empty photoBase leaves them out.
func SampleCity(now time.Time, photoBase string) Batch {
	city := sampleCity{today: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()), photoBase: strings.TrimRight(photoBase, "/")}
	return Batch{
		Mode:            Upsert,
		Districts:       sampleDistricts,
		Types:           sampleTypes,
		Subcategories:   sampleSubcategories,
		Places:          city.places(),
		EventCategories: sampleEventCategories,
		EventSources:    sampleEventSources,
		Events:          city.events(),
		Collections:     sampleCollections(),
		Promos:          city.promos(),
	}
}

type sampleCity struct {
	today     time.Time // its first moment
	photoBase string
}

// at is a time of day, days after today.
func (c sampleCity) at(days, hour, minute int) *time.Time {
	moment := time.Date(c.today.Year(), c.today.Month(), c.today.Day()+days, hour, minute, 0, 0, c.today.Location())
	return &moment
}

// photos are the first n of something's.
func (c sampleCity) photos(of string, n int) (addresses []string) {
	if c.photoBase == "" {
		return nil
	}
	for i := range n {
		addresses = append(addresses, fmt.Sprintf("%s/%s-%d.jpg", c.photoBase, of, i+1))
	}
	return addresses
}

var sampleDistricts = []District{
	{ID: "center", Name: "Центр"},
	{ID: "zarechye", Name: "Заречье"},
	{ID: "yamskaya", Name: "Ямская слобода"},
	{ID: "sosnovka", Name: "Сосновка"},
	{ID: "vokzalny", Name: "Вокзальный"},
	{ID: "yolochki", Name: "Ёлочки"},
}

var sampleTypes = []Type{
	{ID: "coffee", Name: "Кофейни"},
	{ID: "food", Name: "Рестораны и кафе"},
	{ID: "parks", Name: "Парки и прогулки"},
	{ID: "museums", Name: "Музеи и галереи"},
	{ID: "stage", Name: "Театры и концерты"},
	{ID: "shops", Name: "Лавки и рынки"},
	{ID: "kids", Name: "С детьми"},
	{ID: "sport", Name: "Спорт и отдых"},
}

var sampleSubcategories = []Subcategory{
	{ID: "roasters", Type: "coffee", Name: "Обжарщики"},
	{ID: "bakeries", Type: "coffee", Name: "Пекарни"},
	{ID: "home-cooking", Type: "food", Name: "Домашняя кухня"},
	{ID: "caucasian", Type: "food", Name: "Кавказская кухня"},
	{ID: "veranda", Type: "food", Name: "С верандой"},
	{ID: "embankments", Type: "parks", Name: "Набережные"},
	{ID: "gardens", Type: "parks", Name: "Сады и скверы"},
	{ID: "viewpoints", Type: "parks", Name: "Смотровые площадки"},
	{ID: "history", Type: "museums", Name: "История города"},
	{ID: "modern-art", Type: "museums", Name: "Современное искусство"},
	{ID: "drama", Type: "stage", Name: "Драма"},
	{ID: "clubs", Type: "stage", Name: "Клубы"},
	{ID: "books", Type: "shops", Name: "Книги"},
	{ID: "farm", Type: "shops", Name: "Фермерское"},
	{ID: "workshops", Type: "kids", Name: "Мастерские"},
	{ID: "pools", Type: "sport", Name: "Бассейны и бани"},
}

var sampleEventCategories = []EventCategory{
	{ID: "music", Name: "Музыка"},
	{ID: "theatre", Name: "Театр"},
	{ID: "exhibitions", Name: "Выставки"},
	{ID: "family", Name: "Детям"},
	{ID: "walks", Name: "Экскурсии"},
	{ID: "fairs", Name: "Ярмарки"},
	{ID: "lectures", Name: "Лекции"},
}

var sampleEventSources = []EventSource{
	{ID: "philharmonic", Name: "Ольховская филармония", URL: "https://philharmonic.example.com"},
	{ID: "city", Name: "Афиша города", URL: "https://afisha.example.com"},
	{ID: "museum", Name: "Музей сплава", URL: "https://splav.example.com"},
	{ID: "neighbours", Name: "Соседский центр «Двор»", URL: "https://dvor.example.com"},
}
