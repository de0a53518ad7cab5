// SPDX-License-Identifier: Apache-2.0

// Hello is the least that a Go process takes.
package main

import "fmt"

func main() { fmt.Println("hello") }
