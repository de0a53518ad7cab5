// SPDX-License-Identifier: Apache-2.0

package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colors are those of Okabe and Ito, which colour-blind people can tell apart,
// by engine.
var colors = map[string]color.Color{
	own:       color.RGBA{R: 0xD5, G: 0x5E, A: 0xFF},
	"yaml.v3": color.RGBA{G: 0x72, B: 0xB2, A: 0xFF},
	"goccy":   color.RGBA{G: 0x9E, B: 0x73, A: 0xFF},
}

// drawPlot draws the time to read and write a document over its size, both
// logarithmic: a straight line at 45 degrees is linear cost.
func drawPlot(file string, all []sample) error {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = "Time to read and write a YAML document"
	p.X.Label.Text, p.Y.Label.Text = "size of the document", "seconds"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(sizeTicks), plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	p.Add(plotter.NewGrid())
	for _, e := range docEngines {
		for i, k := range docKinds {
			points := curve(all, k.name, e.name)
			if len(points) == 0 {
				continue
			}
			line, marks, err := plotter.NewLinePoints(points)
			if err != nil {
				return err
			}
			line.Color, line.Width = colors[e.name], vg.Points(1.5)
			marks.Color, marks.Shape = colors[e.name], draw.CircleGlyph{}
			if i > 0 {
				line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
				marks.Shape = draw.BoxGlyph{}
			}
			p.Add(line, marks)
			p.Legend.Add(e.title+", "+k.title, line, marks)
		}
	}
	return p.Save(18*vg.Centimeter, 12*vg.Centimeter, file)
}

// sizeTicks are logarithmic ticks with sizes as labels.
func sizeTicks(from, to float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(from, to)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = megabytes(int(ticks[i].Value))
		}
	}
	return ticks
}

func curve(all []sample, kind, engine string) (points plotter.XYs) {
	for _, size := range sizesOf(all) {
		name := docName(kind, size)
		ns := median(valuesOf(all, name, engine))
		if ns == 0 {
			continue
		}
		for _, s := range all {
			if s.name == name && s.engine == engine {
				points = append(points, plotter.XY{X: float64(s.bytes), Y: ns / 1e9})
				break
			}
		}
	}
	return points
}
