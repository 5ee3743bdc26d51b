package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// weather is a fault that the page offers by name.
type weather struct {
	Name     string
	Title    string
	Platform Platform // empty: both
	fault    Fault
	// unit says what the form's number means: seconds, milliseconds; empty if
	// it means nothing.
	Unit string
}

var forecasts = []weather{
	{Name: "429", Title: "429: слишком часто, подождите", Platform: Telegram, fault: Fault{Code: 429}, Unit: "с"},
	{Name: "500", Title: "500: ошибка сервера", Platform: Telegram, fault: Fault{Code: 500}},
	{Name: "kicked", Title: "403: бота выгнали из чата", Platform: Telegram, fault: Fault{Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}},
	{Name: "blocked", Title: "403: бот заблокирован", Platform: Telegram, fault: Fault{Code: 403, Description: "Forbidden: bot was blocked by the user"}},
	{Name: "photo", Title: "400: фото не скачалось", Platform: Telegram, fault: Fault{Code: 400, Description: "Bad Request: failed to get HTTP URL content"}},
	{Name: "401", Title: "401: токен отозван", Platform: Telegram, fault: Fault{Code: 401, Description: "Unauthorized"}},
	{Name: "vk6", Title: "6: слишком много запросов", Platform: VK, fault: Fault{Code: 6}},
	{Name: "vk9", Title: "9: flood control", Platform: VK, fault: Fault{Code: 9}},
	{Name: "vk10", Title: "10: внутренняя ошибка", Platform: VK, fault: Fault{Code: 10}},
	{Name: "vk14", Title: "14: капча", Platform: VK, fault: Fault{Code: 14}},
	{Name: "vk15", Title: "15: доступ закрыт", Platform: VK, fault: Fault{Code: 15}},
	{Name: "vk29", Title: "29: дневная квота", Platform: VK, fault: Fault{Code: 29}},
	{Name: "vk214", Title: "214: лимит записей", Platform: VK, fault: Fault{Code: 214, Description: "Access to adding post denied: you can only add 50 posts a day"}},
	{Name: "html", Title: "502: страница прокси вместо ответа", fault: Fault{Status: 502, Body: "<html><body><h1>502 Bad Gateway</h1></body></html>"}},
	{Name: "slow", Title: "Медленно: задержка", fault: Fault{}, Unit: "мс"},
	{Name: "hang", Title: "Тишина: ответа нет", fault: Fault{Hang: true}},
	{Name: "reset", Title: "Обрыв после приёма запроса", fault: Fault{Reset: true}},
	{Name: "lost", Title: "Сделано, но ответ потерян", fault: Fault{AcceptThenFail: true, Reset: true}},
}

// pageFault is a fault that is set, in words.
type pageFault struct {
	Fault
	What string
	Left string
}

func (s *Server) pageFaults() []pageFault {
	var list []pageFault
	for _, f := range s.Faults() {
		if f.Times > 0 && f.Used >= f.Times {
			continue // used up
		}
		what := "задержка " + strconv.Itoa(f.DelayMS) + " мс"
		switch {
		case f.AcceptThenFail:
			what = "сделано, но ответ потерян"
		case f.Hang:
			what = "тишина"
		case f.Reset, f.ResetBefore:
			what = "обрыв"
		case f.Code != 0:
			what = strings.TrimSpace(fmt.Sprintf("%d %s", f.Code, f.Description))
		case f.Status != 0:
			what = strconv.Itoa(f.Status)
		case f.RetryAfter != 0:
			what = "429"
		}
		left := "пока не снять"
		if f.Times > 0 {
			left = fmt.Sprintf("ещё %d", f.Times-f.Used)
		}
		list = append(list, pageFault{Fault: f, What: what, Left: left})
	}
	return list
}

// pageMethods are the methods that the weather form offers.
func pageMethods() []string {
	return []string{"sendMessage", "sendPhoto", "sendMediaGroup", "answerCallbackQuery", "getChatMember",
		"wall.get", "wall.post", "photos.getWallUploadServer", "upload", "photos.saveWallPhoto"}
}

func (s *Server) pageWeather(r *http.Request) error {
	i := slices.IndexFunc(forecasts, func(w weather) bool { return w.Name == r.FormValue("what") })
	if i < 0 {
		return fmt.Errorf("нет такой погоды: %q", r.FormValue("what"))
	}
	fault := forecasts[i].fault
	fault.Platform, fault.Method = forecasts[i].Platform, r.FormValue("method")
	fault.Times = max(atoi(r.FormValue("times")), 0)
	switch n := max(atoi(r.FormValue("number")), 0); forecasts[i].Unit {
	case "с":
		fault.RetryAfter = orElse(n, 5)
	case "мс":
		fault.DelayMS = orElse(n, 2000)
	}
	_, err := s.SetFault(fault)
	return err
}

// pageClear takes back one fault, or all, or forgets calls.
func (s *Server) pageClear(r *http.Request) error {
	switch id := r.FormValue("fault"); {
	case id == "all":
		s.ClearFaults()
	case id != "":
		s.ClearFault(id)
	case r.FormValue("calls") != "":
		s.ClearCalls()
		s.events.post(topicCalls)
	}
	return nil
}

func atoi(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return n
}
