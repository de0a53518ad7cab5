// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// Comments are the comments of a text, with what they belong to. Append prints
// those of the nodes that it prints, each once, so that a value serves for
// one output.
//
// A comment behind other text in its line belongs to the key or list entry that
// ends or begins there. One in a line of its own belongs to the key or entry
// that follows, unless it is indented more than that and what it is indented
// like ends before it: then it is the last thing in that list or map. Empty lines
// above the first key part the comments of the document from those of the key.
type Comments struct {
	src     *diag.Source
	items   []item         // in the order of the text, each before what is in it
	roots   []int          // items
	byPlace map[uint32]int // the outermost item whose value begins there, see find
}

// An item is a key with its value, a list entry, or the root of a document.
type item struct {
	head []string // lines above it, "" for an empty one; never the first
	line string   // behind it
	foot []string // below the last thing in it

	kind   value.Kind
	flow   bool
	pos    uint32 // where the key, dash or entry begins
	start  uint32 // of the value
	end    uint32 // of a list or map in brackets
	within uint32 // end of the outermost brackets around it, or of its own
	column int    // of what is in it, if it is a list or map
	alias  bool
	key    string
	parent int   // item, -1 for that of a root
	index  int   // in the parent
	size   int   // number of children
	inside []int // children that have comments or hold something that has
}

// ReadComments returns the comments of a text that was read before, nil if there
// are none.
func ReadComments(src *diag.Source) (*Comments, error) {
	if !strings.Contains(src.Text, "#") {
		return nil, nil
	}
	s := value.NewStore()
	r, err := ReadKeys(s, src, Limits{Aliases: math.MaxInt})
	if err != nil {
		return nil, err
	}
	g := gaps{t: src.Text, lines: lineStarts(src.Text), closed: map[uint32]uint32{}}
	g.scan(words(s, &r))
	if len(g.comments) == 0 {
		return nil, nil
	}
	c := &Comments{src: src}
	p := planter{Comments: c, s: s, r: &r, gaps: &g, seen: map[value.ID]bool{}}
	p.plant()
	return c, nil
}

// words returns where scalars and keys stand, in order. Duplicate keys and their
// values are among them.
func words(s *value.Store, r *Result) []extent {
	var all []extent
	for id := value.ID(1); int(id) <= s.Len(); id++ {
		n := s.Node(id)
		switch n.Kind {
		case value.List:
		case value.Map:
			all = append(all, r.keys[n.Pay]...)
		default:
			all = append(all, extent{n.Start, n.End})
		}
	}
	for _, w := range r.Warnings {
		all = append(all, extent{w.Span.Start, w.Span.End})
		for _, n := range w.Notes {
			all = append(all, extent{n.Span.Start, n.Span.End})
		}
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	return all
}

// gaps is what stands in a text between scalars.
type gaps struct {
	t        string
	lines    []uint32 // where they begin
	comments []extent
	dashes   []dash            // in order
	closed   map[uint32]uint32 // where what begins with a bracket ends
	marks    []uint32          // of documents

	open []uint32 // brackets
	last []int    // dashes around, each farther right
}

// A dash begins an entry of a list.
type dash struct {
	at     uint32
	column int
	next   int // the next one in this column
}

// scan looks at all that is not in one of the extents.
func (g *gaps) scan(taken []extent) {
	at := 0
	for _, w := range taken {
		from, to := int(w.start), min(int(w.end), len(g.t))
		if from < to && (g.t[from] == '|' || g.t[from] == '>') {
			from = breakAfter(g.t, from) // a comment may follow the mark of a block text
		}
		g.gap(at, min(from, to))
		at = max(at, to)
	}
	g.gap(at, len(g.t))
}

func (g *gaps) gap(from, to int) {
	for i := from; i < to; i++ {
		switch c := g.t[i]; c {
		case '#':
			if g.separate(i) {
				end := breakAfter(g.t, i)
				g.comments = append(g.comments, extent{uint32(i), uint32(end)})
				i = end - 1
			}
		case '[', '{':
			g.open = append(g.open, uint32(i))
		case ']', '}':
			if n := len(g.open); n > 0 {
				g.closed[g.open[n-1]] = uint32(i + 1)
				g.open = g.open[:n-1]
			}
		case '-', '.':
			switch {
			case g.column(uint32(i)) == 0 && (strings.HasPrefix(g.t[i:], "---") || strings.HasPrefix(g.t[i:], "...")):
				g.marks = append(g.marks, uint32(i))
				i += len("---") - 1
			case c == '-' && g.separate(i) && (i+1 == len(g.t) || blankOrEnd(g.t[i+1])):
				g.dash(i)
			}
		}
	}
}

// separate says whether a blank or a line break precedes what is at i.
func (g *gaps) separate(i int) bool {
	return g.column(uint32(i)) == 0 || blankByte(g.t[i-1])
}

func (g *gaps) dash(i int) {
	column := g.column(uint32(i))
	n := len(g.last)
	for n > 0 && g.dashes[g.last[n-1]].column > column {
		n--
	}
	g.last = g.last[:n]
	if n > 0 && g.dashes[g.last[n-1]].column == column {
		g.dashes[g.last[n-1]].next = len(g.dashes)
		g.last = g.last[:n-1]
	}
	g.last = append(g.last, len(g.dashes))
	g.dashes = append(g.dashes, dash{uint32(i), column, -1})
}

// at returns the dash at an offset, or -1.
func (g *gaps) dashAt(off uint32) int {
	i, ok := slices.BinarySearchFunc(g.dashes, off, func(d dash, off uint32) int { return cmp.Compare(d.at, off) })
	if !ok {
		return -1
	}
	return i
}

// lineBreaks are the characters that end a line, which the library knows more of
// than YAML does today.
const lineBreaks = "\n\r\u0085\u2028\u2029"

func breakAfter(t string, i int) int {
	if n := strings.IndexAny(t[i:], lineBreaks); n >= 0 {
		return i + n
	}
	return len(t)
}

// lineStarts returns where the lines of a text begin, of which a byte order mark
// is no part.
func lineStarts(t string) []uint32 {
	starts := []uint32{uint32(len(t) - len(strings.TrimPrefix(t, "\ufeff")))}
	for i := breakAfter(t, 0); i < len(t); i = breakAfter(t, i) {
		switch c := t[i]; {
		case c == 0xc2: // the first byte of U+0085
			i += 2
		case c >= 0x80:
			i += 3
		case c == '\r' && i+1 < len(t) && t[i+1] == '\n':
			i += 2
		default:
			i++
		}
		starts = append(starts, uint32(i))
	}
	return starts
}

// line returns the number of the line of an offset, from 0.
func (g *gaps) line(off uint32) int {
	i, found := slices.BinarySearch(g.lines, off)
	if found || i == 0 {
		return i
	}
	return i - 1
}

// column returns the distance of an offset from the beginning of its line.
func (g *gaps) column(off uint32) int {
	return int(off) - int(g.lines[g.line(off)])
}

// leads says whether nothing but blanks precedes an offset in its line.
func (g *gaps) leads(off uint32) bool {
	return strings.Trim(g.t[g.lines[g.line(off)]:off], " \t") == ""
}

// planter finds out what comments belong to.
type planter struct {
	*Comments
	*gaps
	s    *value.Store
	r    *Result
	seen map[value.ID]bool // lists and maps

	dropped []uint32 // where keys begin that a duplicate replaces
}

func (p *planter) plant() {
	for i, root := range p.r.Docs {
		n := p.s.Node(root)
		p.add(root, item{pos: n.Start, parent: -1, index: i})
	}
	for _, w := range p.r.Warnings {
		for _, earlier := range w.Notes {
			p.dropped = append(p.dropped, earlier.Span.Start)
		}
	}
	slices.Sort(p.dropped)
	p.inOrder()
	next := 0 // item
	for i := 0; i < len(p.comments); {
		at := p.comments[i].start
		for next < len(p.items) && p.items[next].pos < at {
			next++
		}
		if p.leads(at) || p.marked(at, next-1) {
			i = p.above(i, next)
			continue
		}
		p.behind(next-1, i)
		i++
	}
	p.know()
}

// add adds an item for a node, of which at has what is known around it, and
// those in it.
func (p *planter) add(id value.ID, at item) {
	n := p.s.Node(id)
	at.kind, at.start, at.size = n.Kind, n.Start, int(n.Len)
	self := len(p.items)
	holds := n.Kind == value.List || n.Kind == value.Map
	at.alias = at.parent >= 0 && n.Start < at.pos || p.seen[id]
	if !holds || at.alias {
		p.items = append(p.items, at)
		return
	}
	p.seen[id] = true
	at.end = p.closed[n.Start]
	at.flow = at.end > 0
	if at.within == 0 {
		at.within = at.end
	}
	if n.Kind == value.List {
		p.list(n, at, self)
	} else {
		p.mapping(n, at, self)
	}
}

func (p *planter) list(n *value.Node, at item, self int) {
	d := p.dashAt(n.Start)
	if d >= 0 {
		at.column = p.dashes[d].column
	}
	p.items = append(p.items, at)
	pos := at.pos
	for i, e := range p.s.Elems(n) {
		switch {
		case d >= 0:
			pos, d = p.dashes[d].at, p.dashes[d].next
		default:
			pos = max(pos, p.s.Node(e).Start)
		}
		p.add(e, item{pos: pos, parent: self, within: at.within, index: i})
	}
}

func (p *planter) mapping(n *value.Node, at item, self int) {
	if start, _, ok := p.r.Key(n, 0); ok {
		at.column = p.column(p.beginOf(start))
	}
	p.items = append(p.items, at)
	for i, k := range p.s.Keys(n) {
		start, _, _ := p.r.Key(n, i)
		p.add(p.s.Vals(n)[i], item{pos: p.beginOf(start), parent: self, within: at.within, index: i, key: p.s.Name(k)})
	}
}

// beginOf returns where the quotes begin around a key at an offset, or the
// question mark before it, if there are any.
func (p *planter) beginOf(off uint32) uint32 {
	if off > 0 && (p.t[off-1] == '"' || p.t[off-1] == '\'') {
		off--
	}
	mark := off
	for mark > 0 && blankByte(p.t[mark-1]) {
		mark--
	}
	if mark > 0 && mark < off && p.t[mark-1] == '?' && p.separate(int(mark-1)) {
		return mark - 1
	}
	return off
}

// inOrder sorts the items by their place: the last of duplicate keys, which
// counts, stands behind others.
func (p *planter) inOrder() {
	order := make([]int, len(p.items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.items[a].pos, p.items[b].pos) })
	items, place := make([]item, len(order)), make([]int, len(order))
	for i, old := range order {
		items[i], place[old] = p.items[old], i
	}
	for i := range items {
		if items[i].parent >= 0 {
			items[i].parent = place[items[i].parent]
		} else {
			p.roots = append(p.roots, i)
		}
	}
	p.items = items
}

// textOf returns the text of a comment.
func (p *planter) textOf(i int) string {
	c := p.comments[i]
	return strings.TrimRight(p.t[c.start:c.end], " \t")
}

// behind adds a comment that stands behind other text, of which item last is the
// last that begins before it.
func (p *planter) behind(last, i int) {
	at := p.comments[i].start
	if last < 0 || p.droppedBetween(p.items[last].pos, at) {
		return // it is behind a directive, or a key that does not count
	}
	for up := p.items[last].parent; up >= 0 && p.items[up].flow && p.items[up].end <= at; up = p.items[last].parent {
		last = up
	}
	it := &p.items[last]
	if it.line == "" {
		it.line = p.textOf(i)
	} else {
		it.head = append(it.head, p.textOf(i))
	}
}

// droppedBetween says whether a key that a duplicate replaces begins between two
// offsets.
func (p *planter) droppedBetween(from, to uint32) bool {
	i, _ := slices.BinarySearch(p.dropped, from)
	return i < len(p.dropped) && p.dropped[i] < to
}

// above adds the comments from i on that stand in lines of their own before item
// next. It returns the number of the comment behind them.
func (p *planter) above(i, next int) int {
	var head []string
	outer := len(p.items)
	for first := i; i < len(p.comments); i++ {
		at := p.comments[i].start
		if i > first && !p.leads(at) || next < len(p.items) && at > p.items[next].pos {
			break
		}
		lines := &head
		if p.beforeValue(at, next) {
			lines = &p.items[next-1].head
		} else if len(head) == 0 {
			if foot := p.footOf(at, next); foot >= 0 {
				outer = min(outer, foot) // the comments stay in order
				lines = &p.items[outer].foot
			}
		}
		*lines = append(*lines, p.textOf(i))
		if p.parted(i, next) {
			*lines = append(*lines, "")
		}
	}
	if len(head) > 0 && next < len(p.items) {
		p.headOf(next, head)
	}
	return i
}

// beforeValue says whether a comment stands between a key or dash and a value
// that has no item first in it, the last before item next.
func (p *planter) beforeValue(at uint32, next int) bool {
	if next == 0 || p.items[next-1].alias || p.items[next-1].start < at {
		return false
	}
	return next == len(p.items) || p.items[next].parent != next-1
}

// parted says whether an empty line follows a comment, before the next one or
// item next.
func (p *planter) parted(i, next int) bool {
	to := uint32(len(p.t))
	if next < len(p.items) {
		to = p.items[next].pos
	}
	if i+1 < len(p.comments) {
		to = min(to, p.comments[i+1].start)
	}
	below := p.line(p.comments[i].start) + 1
	if below >= p.line(to) {
		return false
	}
	line := int(p.lines[below])
	return strings.Trim(p.t[line:breakAfter(p.t, line)], " \t") == ""
}

// headOf adds comments above an item. Of those above a document only what is
// next to its first key or entry is about that.
func (p *planter) headOf(i int, lines []string) {
	it := &p.items[i]
	if it.parent < 0 && i+1 < len(p.items) && p.items[i+1].parent == i {
		n := len(lines)
		for n > 0 && lines[n-1] != "" {
			n--
		}
		p.items[i+1].head = append(p.items[i+1].head, lines[n:]...)
		lines = lines[:n]
	}
	it.head = append(it.head, lines...)
}

// footOf returns the list or map that a comment at an offset is the last thing
// in, or -1 if it belongs to item next.
func (p *planter) footOf(at uint32, next int) int {
	last := next - 1
	if last < 0 {
		return -1
	}
	if p.items[last].within > at {
		return p.footInBrackets(at, last, next)
	}
	column, least, around := p.column(at), -1, -1
	if next < len(p.items) {
		it := &p.items[next]
		if around = it.parent; around >= 0 {
			least = p.items[around].column
		} else if !p.markBetween(at, it.pos) {
			return -1
		}
	}
	if last == around || column <= least {
		return -1
	}
	best := -1
	for up := p.items[last].parent; up != around; up = p.items[up].parent {
		c := p.items[up].column
		switch {
		case p.items[up].flow:
		case best >= 0 && c < p.items[best].column:
			return best
		case c == column || c < column && best < 0:
			best = up
		}
	}
	if best < 0 && around < 0 {
		best = p.rootOf(last)
	}
	return best
}

// footInBrackets is footOf for a comment between brackets.
func (p *planter) footInBrackets(at uint32, last, next int) int {
	for !p.items[last].flow || p.items[last].end <= at {
		last = p.items[last].parent
	}
	if next < len(p.items) && p.items[next].pos < p.items[last].end {
		return -1
	}
	return last
}

// rootOf returns the root of the document that an item is in.
func (p *planter) rootOf(i int) int {
	n, found := slices.BinarySearch(p.roots, i)
	if found {
		return i
	}
	return p.roots[n-1]
}

// markBetween says whether a new document begins between two offsets.
func (p *planter) markBetween(from, to uint32) bool {
	i, _ := slices.BinarySearch(p.marks, from)
	return i < len(p.marks) && p.marks[i] < to
}

// marked says whether nothing but the mark of a document precedes an offset in
// its line. last is the last item before it.
func (p *planter) marked(at uint32, last int) bool {
	line := p.lines[p.line(at)]
	_, found := slices.BinarySearch(p.marks, line)
	return found && (last < 0 || p.items[last].pos < line)
}

// know completes the items: it takes empty lines from the end of what is last in
// a list or map, and tells each item what is in it.
func (p *planter) know() {
	for i := len(p.items) - 1; i >= 0; i-- {
		it := &p.items[i]
		if n := len(it.foot); n > 0 && it.foot[n-1] == "" {
			it.foot = it.foot[:n-1]
		}
		if it.parent >= 0 && (len(it.head) > 0 || it.line != "" || len(it.foot) > 0 || len(it.inside) > 0) {
			up := &p.items[it.parent]
			up.inside = append(up.inside, i)
		}
	}
	for i := range p.items {
		slices.Reverse(p.items[i].inside)
	}
}

// root returns the item of a document of the text. It may be nil.
func (c *Comments) root(i int) *item {
	if c == nil || i >= len(c.roots) {
		return nil
	}
	return &c.items[c.roots[i]]
}

// find returns the item of a node, without the comments around it unless it is
// the root of a document. It may be nil.
func (c *Comments) find(s *value.Store, n *value.Node) *item {
	if c == nil || s.Source(n.File) != c.src {
		return nil
	}
	if c.byPlace == nil {
		c.byPlace = map[uint32]int{}
		for i := len(c.items) - 1; i >= 0; i-- {
			if it := &c.items[i]; !it.alias {
				c.byPlace[it.start] = i
			}
		}
	}
	i, ok := c.byPlace[n.Start]
	if !ok || c.items[i].kind != n.Kind {
		return nil
	}
	it := c.items[i]
	if it.parent >= 0 {
		it.head, it.line = nil, ""
	}
	return &it
}

// is says whether a list or map is the one that an item was written as.
func (c *Comments) is(s *value.Store, n *value.Node, it *item) bool {
	return it != nil && !it.alias && it.kind == n.Kind && it.start == n.Start && s.Source(n.File) == c.src
}

// entries returns the items with comments of the entries of a list, by position.
// Entries are told by where they are written or, if they were computed and the
// list is as long as it was, by their position.
func (c *Comments) entries(s *value.Store, n *value.Node, it *item) map[int]*item {
	byStart := map[uint32][]int{}
	byIndex := map[int]int{}
	for _, i := range it.inside {
		byStart[c.items[i].start] = append(byStart[c.items[i].start], i)
		byIndex[c.items[i].index] = i
	}
	found := map[int]*item{}
	for pos, id := range s.Elems(n) {
		e := s.Node(id)
		if same := byStart[e.Start]; len(same) > 0 && s.Source(e.File) == c.src {
			byStart[e.Start] = same[1:]
			found[pos] = &c.items[same[0]]
			delete(byIndex, c.items[same[0]].index)
		}
	}
	if int(n.Len) == it.size {
		for pos, i := range byIndex {
			if found[pos] == nil {
				found[pos] = &c.items[i]
			}
		}
	}
	return found
}

// values is entries for the values of a map.
func (c *Comments) values(s *value.Store, n *value.Node, it *item) map[int]*item {
	bySym := map[value.Sym]*item{}
	for _, i := range it.inside {
		// A merge takes the prefix from the field that names entries.
		for _, key := range []string{strings.TrimPrefix(c.items[i].key, keyPrefix), c.items[i].key} {
			if y, ok := s.Symbol(key); ok {
				bySym[y] = &c.items[i]
			}
		}
	}
	found := map[int]*item{}
	for pos, k := range s.Keys(n) {
		if v := bySym[k]; v != nil {
			found[pos] = v
		}
	}
	return found
}
