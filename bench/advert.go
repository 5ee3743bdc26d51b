package main

import "fmt"

// advert is a lost pet's, each number another pet's: like texts would be taken
// for one case and told once.
func advert(number int) string {
	pick := func(stride int, from ...string) string { return from[(number*stride+number/5)%len(from)] }
	heads := []string{"Ба", "Ви", "Гу", "Да", "Жу", "За", "Ки", "Ло", "Ма", "Ну", "По", "Ри", "Са", "То", "Фи", "Ха"}
	tails := []string{"льзен", "ркот", "мпик", "нтус", "стрель", "вген", "дрон", "зум", "йкал", "ппо", "шкет", "чмок", "гвин", "бло"}
	return fmt.Sprintf("%s %s по кличке %s. %s, дом %d. Позвоните, пожалуйста: 8 900 %03d-%02d-%02d",
		pick(1, "Пропала", "Потерялась", "Помогите найти: потерялась", "Третий день ищем, убежала", "Внимание, пропала"),
		pick(3, "кошка", "собака", "рыжая кошка", "маленькая собака", "трёхцветная кошка", "чёрная собака", "сиамская кошка"),
		heads[number%len(heads)]+tails[number/len(heads)%len(tails)],
		pick(7, "Сорвалась с поводка на ул. Речная", "Выпала из окна на пр. Строителей", "Ушла с дачи в СНТ «Ручеёк»", "Испугалась салюта на ул. Мира", "Видели вечером на ул. Лесная", "Выскочила из машины на ул. Кирова"),
		number, number/10_000%1000, number/100%100, number%100)
}
