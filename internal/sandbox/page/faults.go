package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vestnik/internal/sandbox/core"
)

// faultPreset is a fault that the page offers by name.
type faultPreset struct {
	Name     string
	Title    string
	Platform core.Platform // empty: both
	fault    core.Fault
	// Unit says what the form's number means: seconds, milliseconds; empty if it means nothing.
	Unit string
}

var faultPresets = []faultPreset{
	{Name: "429", Title: "429: слишком часто, подождите", Platform: core.Telegram, fault: core.Fault{Code: 429}, Unit: "с"},
	{Name: "500", Title: "500: ошибка сервера", Platform: core.Telegram, fault: core.Fault{Code: 500}},
	{Name: "kicked", Title: "403: бота выгнали из чата", Platform: core.Telegram, fault: core.Fault{Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}},
	{Name: "blocked", Title: "403: бот заблокирован", Platform: core.Telegram, fault: core.Fault{Code: 403, Description: "Forbidden: bot was blocked by the user"}},
	{Name: "photo", Title: "400: фото не скачалось", Platform: core.Telegram, fault: core.Fault{Code: 400, Description: "Bad Request: failed to get HTTP URL content"}},
	{Name: "401", Title: "401: токен отозван", Platform: core.Telegram, fault: core.Fault{Code: 401, Description: "Unauthorized"}},
	{Name: "vk6", Title: "6: слишком много запросов", Platform: core.VK, fault: core.Fault{Code: 6}},
	{Name: "vk9", Title: "9: flood control", Platform: core.VK, fault: core.Fault{Code: 9}},
	{Name: "vk10", Title: "10: внутренняя ошибка", Platform: core.VK, fault: core.Fault{Code: 10}},
	{Name: "vk14", Title: "14: капча", Platform: core.VK, fault: core.Fault{Code: 14}},
	{Name: "vk15", Title: "15: доступ закрыт", Platform: core.VK, fault: core.Fault{Code: 15}},
	{Name: "vkempty", Title: "Стена пуста, как при сбое", Platform: core.VK, fault: core.Fault{Body: `{"response":{"count":0,"items":[]}}`, ContentType: "application/json"}},
	{Name: "vknull", Title: "Сделано, но ответ null", Platform: core.VK, fault: core.Fault{AcceptThenFail: true, Body: `{"response":null}`, ContentType: "application/json"}},
	{Name: "vk100", Title: "100: повтор отвергнут", Platform: core.VK, fault: core.Fault{Code: 100, Description: "One of the parameters specified was missing or invalid: guid"}},
	{Name: "vk29", Title: "29: дневная квота", Platform: core.VK, fault: core.Fault{Code: 29}},
	{Name: "vk214", Title: "214: лимит записей", Platform: core.VK, fault: core.Fault{Code: 214, Description: "Access to adding post denied: you can only add 50 posts a day"}},
	{Name: "html", Title: "502: страница прокси вместо ответа", fault: core.Fault{Status: 502, Body: "<html><body><h1>502 Bad Gateway</h1></body></html>"}},
	{Name: "slow", Title: "Медленно: задержка", fault: core.Fault{}, Unit: "мс"},
	{Name: "hang", Title: "Тишина: ответа нет", fault: core.Fault{Hang: true}},
	{Name: "reset", Title: "Обрыв после приёма запроса", fault: core.Fault{Reset: true}},
	{Name: "lost", Title: "Сделано, но ответ потерян", fault: core.Fault{AcceptThenFail: true, Reset: true}},
}

// setFault is a fault that is set, with how often it will strike.
type setFault struct {
	core.Fault
	Left string
}

func (s *Site) pageFaults() (list []setFault) {
	for _, f := range s.core.Faults() {
		switch {
		case f.Times == 0:
			list = append(list, setFault{f, "пока не снять"})
		case f.Used < f.Times:
			list = append(list, setFault{f, fmt.Sprintf("ещё %d", f.Times-f.Used)})
		}
	}
	return list
}

// pageMethods are the methods that the fault form offers.
func pageMethods() []string {
	return []string{"sendMessage", "sendPhoto", "sendMediaGroup", "sendAnimation", "sendDocument", "answerCallbackQuery", "getChatMember",
		"wall.get", "wall.getById", "wall.post", "photos.getWallUploadServer", "upload", "photos.saveWallPhoto"}
}

func (s *Site) pageFault(r *http.Request) error {
	i := slices.IndexFunc(faultPresets, func(p faultPreset) bool { return p.Name == r.FormValue("what") })
	if i < 0 {
		return fmt.Errorf("нет такого сбоя: %q", r.FormValue("what"))
	}
	fault := faultPresets[i].fault
	fault.Platform, fault.Method, fault.Title = faultPresets[i].Platform, r.FormValue("method"), faultPresets[i].Title
	fault.Times = max(atoi(r.FormValue("times")), 0)
	switch n := max(atoi(r.FormValue("number")), 0); faultPresets[i].Unit {
	case "с":
		fault.RetryAfter = cmp.Or(n, 5)
	case "мс":
		fault.DelayMS = cmp.Or(n, 2000)
	}
	_, err := s.core.SetFault(fault)
	return err
}

// pageClear takes back one fault, or all, or forgets calls.
func (s *Site) pageClear(r *http.Request) error {
	switch id := r.FormValue("fault"); {
	case id == "all":
		s.core.ClearFaults()
	case id != "":
		s.core.ClearFault(id)
	case r.FormValue("calls") != "":
		s.core.ClearCalls()
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
