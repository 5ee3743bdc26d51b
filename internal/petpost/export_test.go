package petpost

// RuleNames lists the rules of the tables.
func RuleNames() (names []string) {
	for i := range rules {
		names = append(names, rules[i].name)
	}
	return names
}
