package picture

import "image/color"

// pick chooses one of some colours, the same for the same name.
func (c *canvas) pick(hexes ...uint32) color.RGBA { return rgb(hexes[c.random.IntN(len(hexes))]) }

// coat is the colour of a pet that its name tells, else any.
func (c *canvas) coat() color.RGBA {
	for word, hex := range map[string]uint32{
		"ginger": 0xd98a3d, "black": 0x3b3a40, "white": 0xf1ede4, "grey": 0x8d929b, "brown": 0x7a4f32,
		"tabby": 0x8f8371, "cream": 0xe6cfa7, "fawn": 0xc9a06c, "siamese": 0xe4d6bf,
	} {
		if c.says(word) {
			return rgb(hex)
		}
	}
	return c.pick(0xd98a3d, 0x3b3a40, 0xf1ede4, 0x8d929b, 0x7a4f32, 0xc9a06c)
}

// backdrop is a room: wall, floor, a window or a cushion.
func (c *canvas) backdrop() {
	wall := c.pick(0xbfd8d2, 0xf2d9c4, 0xcbd5ea, 0xe8dcc0, 0xd7e3c6, 0xe9cbd0)
	c.gradient(lighter(wall, .35), wall)
	if c.random.IntN(2) == 0 {
		x := c.between(6, 66)
		c.rectangle(rgb(0xffffff), x, 6, 26, 26)
		c.rectangle(rgb(0xb9def5), x+1.4, 7.4, 10.9, 23.2)
		c.rectangle(rgb(0xb9def5), x+13.7, 7.4, 10.9, 23.2)
	} else {
		c.ellipse(lighter(wall, .25), c.between(15, 85), 22, 20, 20, 0)
	}
	floor := c.pick(0xc79a6b, 0xa98467, 0x9aa58a, 0xb7a18c)
	c.rectangle(floor, -80, 58, 260, 80)
	c.ellipse(darker(floor, .18), 50, 70, 40, 9, 0)
}

func (c *canvas) body(coat color.RGBA) {
	c.ellipse(darker(coat, .08), 50, 72, 23, 24, 0)
	c.ellipse(lighter(coat, .35), 50, 76, 12, 18, 0)
}

func (c *canvas) eyes(y, apart float64, iris color.RGBA) {
	for _, side := range []float64{-1, 1} {
		x := 50 + side*apart
		c.ellipse(rgb(0xffffff), x, y, 3.6, 3.9, 0)
		c.ellipse(iris, x, y+.2, 3, 3.3, 0)
		c.ellipse(rgb(0x17131a), x, y+.3, 1.7, 2.6, 0)
		c.ellipse(rgb(0xffffff), x+1, y-1, .8, .8, 0)
	}
}

func (c *canvas) collar() {
	if c.random.IntN(3) == 0 && !c.says("collar") {
		return
	}
	paint := c.pick(0xc0392b, 0x2471a3, 0x1e8449, 0xb7950b)
	c.ellipse(paint, 50, 57.5, 14, 3.4, 0)
	c.ellipse(rgb(0xf4d03f), 50, 61, 2, 2, 0)
}

func (c *canvas) dog() {
	coat := c.coat()
	ear := darker(coat, .35)
	c.body(coat)
	pricked, lean := c.random.IntN(3) == 0, c.between(6, 16)
	if pricked {
		c.polygon(ear, 31, 34, 33, 9, 47, 24)
		c.polygon(ear, 69, 34, 67, 9, 53, 24)
	}
	c.ellipse(coat, 50, 38, 20, 19, 0)
	if !pricked {
		c.ellipse(ear, 31, 36, 6, 14, lean)
		c.ellipse(ear, 69, 36, 6, 14, -lean)
	}
	if c.random.IntN(2) == 0 {
		c.ellipse(lighter(coat, .5), 50, 27, 4, 9, 0)
	}
	c.ellipse(lighter(coat, .45), 50, 47, 11, 9, 0)
	c.eyes(35, 8, c.pick(0x6b4423, 0x4a3020, 0x8a6a3a))
	c.ellipse(rgb(0x231a1d), 50, 43, 4, 2.9, 0)
	c.rectangle(rgb(0x231a1d), 49.6, 45, .8, 4)
	c.ellipse(rgb(0xd9707a), 50, 52, 2.8, 3.6, 0)
	c.collar()
}

func (c *canvas) cat() {
	coat := c.coat()
	c.body(coat)
	for _, side := range []float64{-1, 1} {
		c.polygon(coat, 50+side*20, 36, 50+side*17, 10, 50+side*4, 24)
		c.polygon(rgb(0xe8a9a0), 50+side*17, 29, 50+side*15.6, 16, 50+side*8, 25)
	}
	c.ellipse(coat, 50, 38, 20, 17, 0)
	if c.says("tabby", "ginger") || c.random.IntN(3) == 0 {
		stripe := darker(coat, .3)
		for _, x := range []float64{44, 50, 56} {
			c.ellipse(stripe, x, 26, 1.2, 4.6, 0)
		}
		for _, side := range []float64{-1, 1} {
			c.ellipse(stripe, 50+side*17, 40, 3.6, 1, side*12)
			c.ellipse(stripe, 50+side*17, 44, 3.4, 1, -side*6)
		}
	}
	c.ellipse(lighter(coat, .55), 45.8, 46, 5.6, 4.6, 0)
	c.ellipse(lighter(coat, .55), 54.2, 46, 5.6, 4.6, 0)
	c.eyes(37, 8.5, c.pick(0x8bbf3d, 0xd9b13b, 0x5fa8d3, 0x7fb069))
	c.polygon(rgb(0xd98880), 48, 42.4, 52, 42.4, 50, 45)
	for _, side := range []float64{-1, 1} {
		for i, lift := range []float64{-2.5, 0, 2.5} {
			y := 45.5 + float64(i)
			c.polygon(rgb(0xf7f4ef), 50+side*8, y, 50+side*24, y+lift, 50+side*24, y+lift+.45, 50+side*8, y+.5)
		}
	}
	c.collar()
}

// outdoors is sky, sun, clouds and hills.
func (c *canvas) outdoors() {
	sky := c.pick(0x8ec5ef, 0x9ad0ec, 0xf3b98b, 0xb8c9e8)
	if c.says("evening") {
		sky = rgb(0xef9a6a)
	}
	c.gradient(sky, lighter(sky, .7))
	c.ellipse(rgb(0xfff3c4), c.between(12, 88), c.between(8, 18), 7, 7, 0)
	for range 3 {
		x, y := c.between(0, 100), c.between(8, 26)
		for _, part := range []float64{-6, 0, 6} {
			c.ellipse(rgb(0xffffff), x+part, y, 7, 3.4, 0)
		}
	}
	hill := c.pick(0x8fb573, 0x7aa874, 0xa3b86c, 0x93b48b)
	c.ellipse(lighter(hill, .25), c.between(10, 40), 74, 70, 24, 0)
	c.ellipse(hill, c.between(60, 90), 80, 80, 26, 0)
	c.rectangle(darker(hill, .08), -80, 66, 260, 80)
	if c.says("river", "embankment", "bridge") {
		c.polygon(rgb(0x6fb1d6), -60, 60, 160, 56, 160, 70, -60, 74)
		c.polygon(rgb(0x9fd0ea), -60, 64, 160, 61, 160, 62, -60, 65)
	}
}

func (c *canvas) tree(x, y, size float64) {
	leaf := c.pick(0x4f8a4c, 0x5f9e54, 0x3f7a4a, 0x86a84d)
	c.rectangle(rgb(0x7b5a3c), x-size*.06, y-size*.45, size*.12, size*.45)
	c.ellipse(leaf, x, y-size*.65, size*.3, size*.36, 0)
	c.ellipse(lighter(leaf, .14), x-size*.08, y-size*.74, size*.16, size*.18, 0)
}

func (c *canvas) grove() {
	for i := range 7 {
		c.tree(6+float64(i)*15+c.between(-4, 4), c.between(64, 72), c.between(24, 44))
	}
	c.polygon(rgb(0xe2cfa4), 44, 75, 60, 75, 53, 62, 51, 62)
}

func (c *canvas) building() {
	wall := c.pick(0xe9c7a2, 0xd8b4a0, 0xf0dcb4, 0xc9d3c0, 0xdcc3cf)
	c.tree(12, 68, 36)
	c.tree(90, 69, 42)
	c.rectangle(wall, 24, 26, 52, 44)
	c.polygon(darker(wall, .35), 20, 27, 50, 12, 80, 27)
	for _, x := range []float64{29, 44.5, 60} {
		c.rectangle(rgb(0xffffff), x, 31, 11, 11)
		c.rectangle(rgb(0x9cc7de), x+1, 32, 9, 9)
	}
	awning := c.pick(0xb03a2e, 0x1f618d, 0x117a65, 0xaf601a)
	for i := range 8 {
		paint := awning
		if i%2 == 1 {
			paint = rgb(0xfdf6ec)
		}
		x := 26 + float64(i)*6
		c.polygon(paint, x, 47, x+6, 47, x+6.6, 52, x-.6, 52)
	}
	c.rectangle(rgb(0x6e4b32), 45, 54, 10, 16)
	c.rectangle(rgb(0xbfe0ee), 28, 54, 13, 11)
	c.rectangle(rgb(0xbfe0ee), 59, 54, 13, 11)
}

func (c *canvas) columns() {
	stone := c.pick(0xeae3d2, 0xded8cc, 0xf0e6d0)
	c.tree(8, 69, 34)
	c.polygon(stone, 18, 30, 50, 14, 82, 30)
	c.rectangle(darker(stone, .12), 18, 30, 64, 4)
	c.rectangle(darker(stone, .25), 22, 34, 56, 30)
	for i := range 6 {
		c.rectangle(stone, 22+float64(i)*10.6, 34, 3.6, 30)
	}
	c.rectangle(darker(stone, .1), 16, 64, 68, 3)
	c.rectangle(stone, 12, 67, 76, 4)
}

// leaflet is a notice pinned to a board.
func (c *canvas) leaflet() {
	c.polygon(rgb(0xfffdf6), 28, 6, 73, 8, 71, 70, 26, 68)
	c.polygon(rgb(0xc0392b), 33, 12, 67, 13.4, 66.8, 18, 32.8, 16.8)
	c.rectangle(c.coat(), 38, 22, 24, 18)
	for i := range 5 {
		y := 45 + float64(i)*4.2
		c.rectangle(rgb(0x8a8578), 33, y, c.between(22, 32), 1.6)
	}
	c.ellipse(rgb(0xd35400), 50.5, 7, 1.8, 1.8, 0)
}

// avatar is a paw on a colour.
func (c *canvas) avatar() {
	ground := c.pick(0x5b8def, 0x4caf93, 0xe07a5f, 0x8e7cc3, 0xd4a24c, 0x5aa9c7, 0xc76b98)
	c.gradient(lighter(ground, .2), ground)
	paw := lighter(ground, .88)
	c.ellipse(paw, 50, 45, 12, 10, 0)
	c.ellipse(paw, 34, 35, 4.6, 6.4, -24)
	c.ellipse(paw, 44, 26, 4.8, 7, -8)
	c.ellipse(paw, 56, 26, 4.8, 7, 8)
	c.ellipse(paw, 66, 35, 4.6, 6.4, 24)
}
