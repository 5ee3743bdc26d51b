package content

// BatchWriter takes a batch object by object, the objects of a list together;
// Close ends it. Writer and CSVWriter are two.
type BatchWriter interface {
	Write(list List, object any) error
	Close() error
}

// Parts writes as several batches what is too much for one: more objects or
// more bytes than an import takes. Whatever order the objects come in, they
// stay in it, so parts imported in turn find what they refer to.
type Parts struct {
	open    func() (BatchWriter, error)
	current BatchWriter
	objects int
	bytes   int
}

// NewParts calls open for each part, when the one before is closed.
func NewParts(open func() (BatchWriter, error)) *Parts { return &Parts{open: open} }

// Write adds an object, a pointer to one of the batch's types.
func (p *Parts) Write(list List, object any) error {
	encoded, err := encode(object)
	if err != nil {
		return err
	}
	const around = 64 // the list's name, commas and brackets
	size := len(encoded) + around
	if p.current != nil && (p.objects == MaxObjects || p.bytes+size > MaxBatchBytes) {
		if err := p.current.Close(); err != nil {
			return err
		}
		p.current = nil
	}
	if err := p.begin(); err != nil {
		return err
	}
	p.objects++
	p.bytes += size
	return p.current.Write(list, object)
}

// Close ends the last part; there is always one.
func (p *Parts) Close() error {
	if err := p.begin(); err != nil {
		return err
	}
	return p.current.Close()
}

func (p *Parts) begin() error {
	if p.current != nil {
		return nil
	}
	batch, err := p.open()
	if err != nil {
		return err
	}
	p.current, p.objects, p.bytes = batch, 0, 0
	return nil
}
