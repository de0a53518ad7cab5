// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

// maxMessage bounds a message: the largest file that is read, 256 MiB, with room
// for the escapes of JSON.
const maxMessage = 1 << 29

// maxHeader bounds a line of a header; the longest that clients send has about
// 60 bytes.
const maxHeader = 1 << 12

// A framing is the base protocol: a header with the length before each message.
// Unlike the codec of the library it goes on after a message that is no JSON,
// and takes no memory for a length that is only claimed.
type framing struct {
	reject func(*jsonrpc2.Error) // answers a message that cannot be read
}

// WriteObject writes a message.
func (framing) WriteObject(w io.Writer, obj any) error {
	return jsonrpc2.VSCodeObjectCodec{}.WriteObject(w, obj)
}

// ReadObject reads the next message that is one. The error says that the stream
// is at its end, or out of step.
func (f framing) ReadObject(r *bufio.Reader, v any) error {
	for {
		n, err := readHeader(r)
		if err != nil {
			return err
		}
		if n > maxMessage {
			if _, err := io.CopyN(io.Discard, r, n); err != nil {
				return err
			}
			f.reject(&jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: fmt.Sprintf("the message has %d bytes, at most %d are read", n, maxMessage)})
			continue
		}
		var b bytes.Buffer
		if _, err := io.CopyN(&b, r, n); err != nil {
			return err
		}
		if !json.Valid(b.Bytes()) {
			f.reject(&jsonrpc2.Error{Code: jsonrpc2.CodeParseError, Message: "the message is no JSON"})
			continue
		}
		if err := json.Unmarshal(b.Bytes(), v); err != nil {
			f.reject(&jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the message is neither a request nor a response"})
			continue
		}
		return nil
	}
}

// readHeader returns the length of the message behind a header.
func readHeader(r *bufio.Reader) (n int64, err error) {
	n = -1
	for {
		line, err := readLine(r)
		if err != nil {
			return 0, err
		}
		if line == "" && n >= 0 {
			return n, nil
		}
		if line == "" {
			return 0, fmt.Errorf("the header of a message has no Content-Length")
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, fmt.Errorf("%q is no line of a header", line)
		}
		if strings.EqualFold(name, "Content-Length") {
			if n, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || n < 0 {
				return 0, fmt.Errorf("%q is no length", value)
			}
		}
	}
}

func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			return "", err
		case c == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) == maxHeader:
			return "", fmt.Errorf("a line of a header has more than %d bytes", maxHeader)
		}
		line = append(line, c)
	}
}
