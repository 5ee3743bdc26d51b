package notice_test

import (
	"fmt"
	"time"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

func ExamplePlanTelegram() {
	lost := petpost.ReadPost(post.Post{
		ID: post.ID{OwnerID: -900000001, PostID: 17}, PostedAt: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
		Text: "Пропала собака Альма, рыжая, в красном ошейнике. Ул. Речная, 5. Телефон 8 900 000-00-01",
	})
	plan := notice.PlanTelegram(lost, notice.DefaultOptions())
	for _, step := range plan {
		fmt.Println(step.Unmarked)
	}
	// Output:
	// 🔎 Пропал питомец
	//
	// Пропала собака Альма, рыжая, в красном ошейнике. Ул. Речная, 5. Телефон 8 900 000-00-01
	//
	// 📞 +7 900 000-00-01
	// 📍 Ул. Речная, 5
	//
	// Источник: https://vk.com/wall-900000001_17
}

func ExamplePlanVK() {
	found := petpost.ReadPost(post.Post{
		ID: post.ID{OwnerID: -900000001, PostID: 18}, PostedAt: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
		Text: "Найден кот, серый, у дома 7 по Садовой. Ищем хозяев! 8 900 000-00-02",
	})
	fmt.Println(notice.PlanVK(found, notice.VKOptions{}).Text)
	// Output:
	// ✅ Найден питомец
	//
	// Найден кот, серый, у дома 7 по Садовой. Ищем хозяев! 8 900 000-00-02
	//
	// 📞 +7 900 000-00-02
	// 📍 у дома 7 по Садовой
	//
	// Источник: https://vk.com/wall-900000001_18
}
