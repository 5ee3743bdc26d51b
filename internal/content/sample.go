package content

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// sampleJSON is Ольховск: a batch whose times are days and hours from today,
// whose positions are thousandths of a degree from the centre, and whose
// telephones and photos are numbers.
//
//go:embed sample.json
var sampleJSON []byte

type (
	samplePlace struct {
		Place
		North, East int
		Phone       int `json:"phone"`
		Photos      int `json:"photos"`
	}
	// An event begins days after today, at an hour, for some hours (0 if nobody
	// knows). One that is on a day of the week waits for the next such day.
	sampleEvent struct {
		Event
		Category                 string
		On                       string // as time.Weekday has it
		Day, Hour, Minute, Hours int
		Photos                   int `json:"photos"`
	}
	samplePromo struct {
		Promo
		From, To *int // days after today
	}
	sampleBatch struct {
		Batch
		Places []samplePlace `json:"places"`
		Events []sampleEvent `json:"events"`
		Promos []samplePromo `json:"promos"`
	}
)

// SampleCity is the content of Ольховск, a city that does not exist: 6
// districts, 40 places, 30 events in the weeks after now (in now's time zone),
// 6 collections and 12 promos, for development and demonstrations. Photos get
// addresses below photoBase, such as the sandbox's
// http://127.0.0.1:8081/sandbox/photos; an empty photoBase leaves them out.
func SampleCity(now time.Time, photoBase string) Batch {
	var sample sampleBatch
	if err := json.Unmarshal(sampleJSON, &sample); err != nil {
		panic("content: sample.json: " + err.Error()) // it is part of the program
	}
	at := func(days, hour, minute int) *time.Time {
		return new(time.Date(now.Year(), now.Month(), now.Day()+days, hour, minute, 0, 0, now.Location()))
	}
	photos := func(of string, n int) (addresses []string) {
		for i := range n {
			if photoBase != "" {
				addresses = append(addresses, fmt.Sprintf("%s/%s-%d.jpg", strings.TrimRight(photoBase, "/"), of, i+1))
			}
		}
		return addresses
	}
	city := sample.Batch
	city.Mode = Upsert
	for _, s := range sample.Places {
		place := s.Place
		place.Address = "Ольховск, " + place.Address
		place.Lat, place.Lon = new(57.301+float64(s.North)/1000), new(44.102+float64(s.East)/1000)
		if s.Phone > 0 {
			place.Phone = fmt.Sprintf("+7 900 000-%02d-%02d", s.Phone, (s.Phone*7)%100)
			place.Site = "https://" + place.ID + ".example.com"
		}
		place.Photos = photos(place.ID, s.Photos)
		city.Places = append(city.Places, place)
	}
	for _, s := range sample.Events {
		event, day := s.Event, s.Day
		for s.On != "" && at(day, 0, 0).Weekday().String() != s.On {
			day++
		}
		event.StartsAt = at(day, s.Hour, s.Minute)
		if s.Hours > 0 {
			event.EndsAt = new(event.StartsAt.Add(time.Duration(s.Hours) * time.Hour))
		}
		event.Categories, event.URL = []string{s.Category}, "https://afisha.example.com/"+event.ID
		event.Photos = photos("event-"+event.ID, s.Photos)
		city.Events = append(city.Events, event)
	}
	for _, s := range sample.Promos {
		promo := s.Promo
		if s.From != nil {
			promo.StartsAt, promo.EndsAt = at(*s.From, 0, 0), at(*s.To, 23, 59)
		}
		city.Promos = append(city.Promos, promo)
	}
	return city
}
