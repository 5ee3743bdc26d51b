package petpost

// readFields reads everything but type, animal and phones.
func (r *reader) readFields(v *view) {
	out := &v.reading
	out.Contacts = r.contacts()
	out.Breed = r.breed()
	out.Age = r.age()
	out.Color = r.color()
	out.Traits = r.traits(out.Traits)
	out.Seen = r.seen()
	r.placed = placeSpan{}
	out.Name = r.petName()
	out.Location = r.location(out.Name)
	v.placeRank = r.placed.rank
	out.When = r.when()
	out.Sex = r.sex(out.Name)
}
