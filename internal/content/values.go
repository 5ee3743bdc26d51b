package content

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/unicode/norm"
)

// What people write into tables, as fields have it. What is not understood is
// left as it is, and refused by the field's own rule.

func parseNumber(text string) (float64, bool) {
	text = strings.NewReplacer(" ", "", "\u00A0", "", "\u202F", "", ",", ".").Replace(text)
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}

// parseLatLon reads "56.85, 53.2", as maps give it.
func parseLatLon(text string) (lat, lon float64, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == '\u00A0' })
	if len(parts) == 1 {
		parts = strings.Split(text, ",")
	}
	if len(parts) != 2 {
		return 0, 0, false
	}
	lat, okLat := parseNumber(strings.TrimRight(parts[0], ","))
	lon, okLon := parseNumber(parts[1])
	return lat, lon, okLat && okLon
}

var (
	monthName = regexp.MustCompile(`(\d{1,2})\s+(янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)[а-я]*\.?(?:\s+(\d{4}))?`)
	months    = map[string]int{"янв": 1, "фев": 2, "мар": 3, "апр": 4, "мая": 5, "май": 5, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "окт": 10, "ноя": 11, "дек": 12}
	dayAlone  = regexp.MustCompile(`^(\d{1,2}\.\d{1,2})(\s|$)`)
	clock     = regexp.MustCompile(`^(\d{1,2})[:.\-](\d{2})(?::(\d{2}))?$`)
	layouts   = []string{"2.1.2006", "2.1.06", "2006-1-2", "2/1/2006", "2006.1.2"}
	filler    = strings.NewReplacer(",", " ", " в ", " ", "года", "", " г.", "", "\u00A0", " ")
)

// parseTime reads a moment in the city's zone; whole says that no time of day
// was given. A day without a year is the next one, as a poster means it.
func parseTime(text string, zone *time.Location, now time.Time) (at time.Time, whole, ok bool) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, false, true
	}
	if serial, err := strconv.ParseFloat(text, 64); err == nil && serial > 20000 && serial < 80000 { // a date cell of a workbook
		date, err := excelize.ExcelDateToTime(serial, false)
		date = date.Round(time.Second)
		return inZone(date, zone), serial == float64(int(serial)), err == nil
	}
	text = strings.ToLower(text)
	if found := monthName.FindStringSubmatch(text); found != nil {
		date := fmt.Sprintf("%s.%d.%s", found[1], months[found[2]], found[3])
		text = strings.Replace(text, found[0], strings.TrimSuffix(date, "."), 1)
	}
	text = strings.Join(strings.Fields(filler.Replace(text)), " ")
	day, timeOfDay, _ := strings.Cut(strings.Replace(text, "t", " ", 1), " ")
	yearless := dayAlone.MatchString(day + " ")
	if yearless {
		day += "." + strconv.Itoa(now.In(zone).Year())
	}
	for _, layout := range layouts {
		date, err := time.Parse(layout, day)
		if err != nil {
			continue
		}
		if yearless && now.Sub(date) > 60*24*time.Hour {
			date = date.AddDate(1, 0, 0)
		}
		hours, ok := parseClock(timeOfDay)
		return inZone(date.Add(hours), zone), timeOfDay == "", ok || timeOfDay == ""
	}
	return time.Time{}, false, false
}

// parseClock reads 19:00, 19.00 and the fraction of a day of a workbook's cell.
func parseClock(text string) (time.Duration, bool) {
	if share, err := strconv.ParseFloat(text, 64); err == nil && share >= 0 && share < 1 {
		return time.Duration(share * float64(24*time.Hour)).Round(time.Second), true
	}
	found := clock.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return 0, false
	}
	hour, _ := strconv.Atoi(found[1])
	minute, _ := strconv.Atoi(found[2])
	second, _ := strconv.Atoi(found[3]) // 0 where there is none
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second, hour < 25 && minute < 60 && second < 60
}

func inZone(at time.Time, zone *time.Location) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, zone)
}

var (
	rouble  = regexp.MustCompile(`(?i)\s*(рублей|рубля|руб\.?|р\.|rub)`)
	bare    = regexp.MustCompile(`^(от |до )?\d[\d \x{00A0}]*([.,]\d+)?( ?[-–—] ?\d[\d \x{00A0}]*)?$`)
	dialed  = regexp.MustCompile(`^[+\d\s().\-–—\x{00A0}]+$`)
	noDigit = regexp.MustCompile(`\D`)
)

// tidyPrice writes 500, "500р." and "от 300 руб" with the sign of the rouble.
func tidyPrice(text string) string {
	text = strings.TrimSpace(rouble.ReplaceAllString(text, " ₽"))
	if bare.MatchString(strings.ToLower(text)) {
		text += " ₽"
	}
	return text
}

// tidyPhone writes one Russian number as +7 900 000-00-00.
func tidyPhone(text string) string {
	digits := noDigit.ReplaceAllString(text, "")
	if !dialed.MatchString(text) || len(digits) < 10 || len(digits) > 11 {
		return text
	}
	if len(digits) == 11 {
		if digits[0] != '7' && digits[0] != '8' {
			return text
		}
		digits = digits[1:]
	}
	return fmt.Sprintf("+7 %s %s-%s-%s", digits[:3], digits[3:6], digits[6:8], digits[8:])
}

func tidyLink(text string) string {
	if strings.Contains(text, "://") || strings.ContainsAny(text, " @") || !strings.Contains(text, ".") {
		return text
	}
	return "https://" + text
}

// splitLinks reads several addresses of one cell, however they are set apart.
func splitLinks(text string) []string {
	text = strings.NewReplacer(",http", "\nhttp", ", http", "\nhttp").Replace(text)
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|;\n\r\t ", r) })
}

// splitNames reads several names or ids of one cell. A comma may be part of a
// name.
func splitNames(text string, known func(string) bool) (names []string) {
	separators := "|;\n\r"
	if strings.Contains(text, ",") && !known(text) {
		separators += ","
	}
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

var latin = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ж': "zh", 'з': "z", 'и': "i", 'й': "y", 'к': "k", 'л': "l", 'м': "m",
	'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f", 'х': "h", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "sch",
	'ы': "y", 'э': "e", 'ю': "yu", 'я': "ya", 'ъ': "", 'ь': "", ' ': "-",
}

// slug makes an id of a name.
func slug(name string) string {
	var id strings.Builder
	for _, r := range SortKey(name) {
		if letters, ok := latin[r]; ok {
			id.WriteString(letters)
		} else if r < 128 {
			id.WriteRune(r)
		}
	}
	if id.Len() == 0 {
		return "x"
	}
	return id.String()
}

// maxSortKeyRunes keeps index rows small; names that agree so far are ordered
// by id.
const maxSortKeyRunes = 64

// SortKey is a name (or a person's words, searching for one) as lists are ordered by and typos are looked for in: lower
// case, ё as е, letters and digits with single spaces between them. Compared
// byte by byte it gives the Russian alphabet.
func SortKey(name string) string {
	var key strings.Builder
	runes, gap := 0, false
	for _, r := range strings.ToLower(norm.NFC.String(name)) {
		if runes == maxSortKeyRunes {
			break
		}
		if r == 'ё' {
			r = 'е'
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = runes > 0
			continue
		}
		if gap {
			key.WriteByte(' ')
			gap = false
			runes++
		}
		key.WriteRune(r)
		runes++
	}
	return key.String()
}
