package console

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"vestnik/api/access"
	"vestnik/db"
)

func (c *console) statistics(r *http.Request) (any, error) {
	days, err := c.Ledger.Statistics(r.Context(), db.StatisticsDays, c.Now())
	return charts(languageOf(r), days, c.titles(r.Context())), err
}

func (c *console) opsStatistics(r *http.Request) (any, error) {
	return c.Ledger.Statistics(r.Context(), db.StatisticsDays, c.Now())
}

// opsSettings answers what the process runs with, its secrets marked under the
// asker's own token.
func (c *console) opsSettings(r *http.Request) (any, error) { return c.Settings(access.Token(r)), nil }

// chart draws a value of each day in one or several series, as bars beside or
// upon each other.
type chart struct {
	Title, About string
	Series       []string
	Days         []db.Day
	stacked      bool // upon each other
	summed       bool // over the days, in the legend
	value        func(day db.Day, series int) float64
	told         func(float64) string
}

func charts(l language, days []db.Day, titles db.Titles) []chart {
	names := map[string]bool{}
	for _, day := range days {
		for name := range day.Sent {
			names[name] = true
		}
	}
	destinations := slices.Sorted(maps.Keys(names))
	var chats []string
	for _, name := range destinations {
		chats = append(chats, titles.Of(name))
	}
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	length := func(n float64) string { return l.roughly(time.Duration(n * float64(time.Second))) }
	spread := func(of func(db.Day) db.Spread) func(db.Day, int) float64 {
		return func(day db.Day, series int) float64 {
			if series == 0 {
				return of(day).Half.Seconds()
			}
			return of(day).Most.Seconds()
		}
	}
	within := []string{l.say("chart.half"), l.say("chart.most")}
	return []chart{
		{
			Title: l.say("chart.sent"), About: l.say("chart.sent.about"), Series: chats, stacked: true, summed: true, Days: days, told: number,
			value: func(day db.Day, series int) float64 { return float64(day.Sent[destinations[series]]) },
		},
		{
			Title: l.say("chart.lost"), About: l.say("chart.lost.about"), Series: []string{l.say("type.lost"), l.say("type.reunited")}, summed: true, Days: days, told: number,
			value: func(day db.Day, series int) float64 { return float64([]int{day.Lost, day.Reunited}[series]) },
		},
		{
			Title: l.say("chart.delay"), About: l.say("chart.delay.about"), Series: within, Days: days, told: length,
			value: spread(func(day db.Day) db.Spread { return day.Delay }),
		},
		{
			Title: l.say("chart.queue"), About: l.say("chart.queue.about"), Series: within, Days: days, told: length,
			value: spread(func(day db.Day) db.Spread { return day.Queued }),
		},
		{
			Title: l.say("chart.calls"), About: l.say("chart.calls.about"), Series: []string{l.say("chart.calls.series")}, summed: true, Days: days, told: number,
			value: func(day db.Day, _ int) float64 { return float64(day.Calls) },
		},
	}
}

// Geometry of a chart, in units of its drawing.
const (
	chartHeight = 100.0
	dayWidth    = 10.0
	dayGap      = 2.0
)

// Width is that of the drawing.
func (c chart) Width() float64 { return dayWidth * float64(len(c.Days)) }

func (c chart) most() float64 {
	most := 0.0
	for _, day := range c.Days {
		sum := 0.0
		for series := range c.Series {
			value := c.value(day, series)
			sum += value
			most = max(most, value)
		}
		if c.stacked {
			most = max(most, sum)
		}
	}
	return most
}

// Most is the greatest value in words, "" if there is none at all.
func (c chart) Most() string {
	if most := c.most(); most > 0 {
		return c.told(most)
	}
	return ""
}

// chartBar is one bar; Series is the number of its colour.
type chartBar struct {
	X, Y, Width, Height float64
	Series              int
	Title               string
}

// Bars are those of all days that are higher than nothing.
func (c chart) Bars() []chartBar {
	var bars []chartBar
	most, width := c.most(), dayWidth-dayGap
	if !c.stacked {
		width /= float64(max(len(c.Series), 1))
	}
	for at, day := range c.Days {
		x, below := dayWidth*float64(at), 0.0
		for series, name := range c.Series {
			value := c.value(day, series)
			if value <= 0 {
				continue
			}
			bar := chartBar{X: x, Width: width, Height: value / most * chartHeight, Series: series % chartColours}
			if c.stacked {
				below += bar.Height
				bar.Y = chartHeight - below
			} else {
				bar.X += width * float64(series)
				bar.Y = chartHeight - bar.Height
			}
			bar.Title = day.Day.Format(time.DateOnly) + ", " + name + ": " + c.told(value)
			bars = append(bars, bar)
		}
	}
	return bars
}

// chartColours is how many colours the style sheet has for series.
const chartColours = 6

// Colour is that of a series.
func (c chart) Colour(series int) int { return series % chartColours }

// Total is a series's sum in words, "" for what has none.
func (c chart) Total(series int) string {
	if !c.summed {
		return ""
	}
	sum := 0.0
	for _, day := range c.Days {
		sum += c.value(day, series)
	}
	return c.told(sum)
}
