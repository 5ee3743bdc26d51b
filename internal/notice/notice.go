// Package notice is what readers of the relay see: it turns one VK post into
// the messages a careful person would send about it.
//
// The way of a post through the package:
//
//	raw VK text  --Clean, ParseMarkup-->  Text (spans with links and styles)
//	post         --Compose-->             Notice (title, words, facts, source link)
//	Notice       --split, render-->       texts within the platform's limits
//	post         --PlanTelegram-->        Plan: the steps to take, in order
//	post         --PlanVK-->              one wall post
//
// Everything here is pure: the same post and options give the same plan. But
// posts are edited, options changed and this package improved, so a delivery
// that has sent a step keeps the plan it began with.
//
// Text is measured as Telegram measures it after parsing entities, in UTF-16
// units. Bots are counted in code points, which are never more, so the bound
// holds whichever way the server counts.
package notice
