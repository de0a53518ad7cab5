// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// kitchen is a graph with a cycle, a stub, and a text that looks like markup.
func kitchen() *Graph {
	return &Graph{
		Nodes: []Node{
			{ID: 0, File: "t.yml", Path: "egg", Kind: "expression", Text: "(( hen ))", State: Waiting, Cycle: true},
			{ID: 1, File: "t.yml", Path: "hen", Kind: "expression", Text: "(( egg ))", State: Waiting, Cycle: true},
			{ID: 2, File: "t.yml", Path: "shelf.[0].price", Named: "shelf.rye.price", At: &Place{"t.yml", 4, 10},
				Kind: "expression", Text: `(( "</script><b>" base ))`, State: Done, Value: "3"},
			{ID: 3, File: "s.yml", Stub: 1, Path: "base", Kind: "scalar", State: Done, Value: "1"},
			{ID: 4, File: "t.yml", Path: "base", Kind: "scalar", State: Done, Value: "1"},
		},
		Edges:  []Edge{{0, 1, Reads}, {1, 0, Reads}, {2, 4, Reads}, {4, 3, Overridden}},
		Cycles: [][]int{{0, 1, 0}},
	}
}

// TestPageNeedsNothing holds that the page refers to nothing outside of it.
func TestPageNeedsNothing(t *testing.T) {
	var b bytes.Buffer
	if err := kitchen().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(b.String(), "http://www.w3.org/2000/svg", "")
	for _, outside := range []string{"http:", "https:", "src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "import("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %q", outside)
		}
	}
	if n := strings.Count(page, "</script>"); n != 2 {
		t.Errorf("%d scripts end, want 2: a text ends one", n)
	}
}

// What the test does with the page, as somebody would who looks at it.
const visit = `<script>
const seen = {};
const text = (id) => [...document.querySelectorAll(id + " a")].map((a) => a.textContent);
const press = (a) => { a.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window })); };
const steps = [
  () => { seen.all = text("#list"); seen.cycle = text("#cycles"); seen.wrong = [...document.querySelectorAll("#list .wrong a")].map((a) => a.textContent); },
  () => { const s = document.getElementById("search"); s.value = "RYE base"; s.dispatchEvent(new Event("input")); seen.found = text("#list"); },
  () => press(document.querySelector("#list a")),
  () => { seen.heading = document.querySelector("#detail h2").textContent; seen.needs = text("#needs"); seen.code = document.querySelector("#detail code").textContent; },
  () => press(document.querySelector("#needs a")),
  () => { seen.next = document.querySelector("#detail h2").textContent; seen.neededBy = text("#needed-by"); seen.picture = text("svg").length; },
  () => press(document.querySelectorAll("#cycles a")[1]),
  () => { seen.inCycle = document.querySelector("#detail h2").textContent; seen.red = document.querySelectorAll("svg path.wrong").length; },
  () => history.back(),
  () => { seen.back = document.querySelector("#detail h2").textContent; },
  () => { const p = document.createElement("pre"); p.id = "seen"; p.textContent = JSON.stringify(seen); document.body.append(p); },
];
const next = () => { if (steps.length) { try { steps.shift()(); } catch (e) { seen.error = String(e); } setTimeout(next, 60); } };
next();
</script>
</body>`

// TestPage searches and clicks through the page in a browser.
func TestPage(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no chromium is installed, so the script of the page is not run")
	}
	var b bytes.Buffer
	if err := kitchen().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte(strings.Replace(b.String(), "</body>", visit, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--virtual-time-budget=20000", "--dump-dom", "file://"+page)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	m := regexp.MustCompile(`(?s)<pre id="seen">(.*?)</pre>`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("the script did not come to its end:\n%s", out)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
		t.Fatal(err)
	}
	list := func(names ...any) []any { return names }
	for what, want := range map[string]any{
		"all":      list("egg", "hen", "shelf.rye.price", "s.yml:base", "base"),
		"wrong":    list("egg", "hen"),
		"cycle":    list("egg", "hen", "egg"),
		"found":    list("shelf.rye.price"),
		"heading":  "shelf.rye.price",
		"code":     `(( "</script><b>" base ))`,
		"needs":    list("base"),
		"next":     "base",
		"neededBy": list("shelf.rye.price"),
		"picture":  3.0,
		"inCycle":  "hen",
		"red":      2.0,
		"back":     "base",
	} {
		a, _ := json.Marshal(got[what])
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: got %s, want %s", what, a, b)
		}
	}
	if got["error"] != nil {
		t.Errorf("the script failed: %v", got["error"])
	}
}
