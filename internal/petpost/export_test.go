package petpost

// RuleNames lists the rules of the tables.
func RuleNames() (names []string) {
	for _, rule := range compiled().rules {
		names = append(names, rule.name)
	}
	return names
}
