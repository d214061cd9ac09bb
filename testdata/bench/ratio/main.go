// Command ratio runs two command lines in turn, as whole processes, and prints the median of the ratios of their wall times:
//
//	ratio -n 21 'dig version' 'empty version'
package main

import (
	"flag"
	"fmt"
	"log"
	"os/exec"
	"sort"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 21, "pairs of runs")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: ratio [-n N] COMMAND RIVAL")
	}
	wall := func(line string) time.Duration {
		words := strings.Split(line, "|")
		start := time.Now()
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			log.Fatalf("%s: %v\n%s", line, err, out)
		}
		return time.Since(start)
	}
	var a, b, r []float64
	for i := range *n + 1 {
		x, y := wall(flag.Arg(0)).Seconds(), wall(flag.Arg(1)).Seconds()
		if i > 0 { // the first pair warms the caches
			a, b, r = append(a, x*1000), append(b, y*1000), append(r, x/y)
		}
	}
	for _, v := range [][]float64{a, b, r} {
		sort.Float64s(v)
	}
	mid := len(r) / 2
	fmt.Printf("%.1f ms / %.1f ms: median ratio %.2f (%.2f to %.2f)\n", a[mid], b[mid], r[mid], r[0], r[len(r)-1])
}
