// Package trunkline is a client of Trunkline, a self-hosted messaging gateway. It needs only the standard library.
package trunkline

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const firstPause = 500 * time.Millisecond

// longestWait bounds what Retry-After may ask for: whoever has to wait longer gets the refusal at once.
const longestWait = time.Minute

// Client has a method for every operation of the interface. Its fields must not change after the first call.
type Client struct {
	// BaseURL is the service, such as https://gateway.example.
	BaseURL string
	// AccessToken is for /v2.
	AccessToken string
	// APIKey is for /v3.
	APIKey string
	// Partner is for a partner's accounts and tokens.
	Partner *Partner
	// Retries is how often a request is repeated when no answer came, or when one asks to wait; negative: never.
	// Zero means 2.
	Retries int
	// HTTP sends the requests; nil: a client that waits a minute for each attempt and follows no redirect.
	HTTP *http.Client
}

// Partner is the login of a partner.
type Partner struct{ Email, Password string }

// Error is what the service refused.
type Error struct {
	// Status is that of HTTP.
	Status int `json:"-"`
	// Code is that of the error, such as VALIDATION_ERROR. A newer service may have more codes.
	Code string `json:"error"`
	// Description is for people.
	Description string `json:"description"`
	// Data says more, such as invalid fields.
	Data json.RawMessage `json:"data"`
	// RequestID finds the request in the service's log.
	RequestID string `json:"-"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Description)
}

// Option changes one call.
type Option func(*http.Request)

// IdempotencyKey names a call, so that a repetition has no second effect even after a restart of your program. Without
// it, each call gets a key of its own.
func IdempotencyKey(key string) Option {
	return func(request *http.Request) { request.Header.Set("Idempotency-Key", key) }
}

// Ptr is for optional fields: trunkline.Ptr("Good morning").
func Ptr[T any](value T) *T { return &value }

func valueOf[T any](pointer *T) T {
	if pointer == nil {
		var none T
		return none
	}
	return *pointer
}

func addTo[T any](values url.Values, name string, value *T) {
	if value != nil {
		values.Set(name, fmt.Sprint(*value))
	}
}

// pathOf puts the parts into the format, each as one segment of a path.
func pathOf(format string, parts ...string) string {
	escaped := make([]any, len(parts))
	for index, part := range parts {
		escaped[index] = url.PathEscape(part)
	}
	return fmt.Sprintf(format, escaped...)
}

var defaultHTTP = &http.Client{
	Timeout: time.Minute,
	// A redirect would carry the token to another address.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (c *Client) call(
	ctx context.Context, method, path, credential string, query url.Values, body, result any, options ...Option,
) error {
	address := strings.TrimRight(c.BaseURL, "/") + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	key, err := randomKey()
	if err != nil {
		return err
	}
	retries := c.Retries
	if retries == 0 {
		retries = 2
	}
	for attempt := 0; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
		if err != nil {
			return err
		}
		if err := c.authorize(request, credential); err != nil {
			return err
		}
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		if method == http.MethodPost {
			request.Header.Set("Idempotency-Key", key)
		}
		for _, option := range options {
			option(request)
		}
		wait, err := c.attempt(request, result, attempt >= retries)
		if err == nil || wait < 0 {
			return err
		}
		if wait == 0 {
			wait = firstPause << attempt
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// attempt returns how long to wait before the next one: 0 if nobody said so, negative if there is to be none.
func (c *Client) attempt(request *http.Request, result any, isLast bool) (time.Duration, error) {
	sender := c.HTTP
	if sender == nil {
		sender = defaultHTTP
	}
	wait := time.Duration(0)
	if isLast {
		wait = -1
	}
	response, err := sender.Do(request)
	if err != nil {
		if request.Context().Err() != nil {
			return -1, err
		}
		return wait, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return wait, err
	}
	isJSON := strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		if text, ok := result.(*string); ok && !isJSON {
			*text = string(content)
			return -1, nil
		}
		return -1, json.Unmarshal(content, result)
	}
	refusal := &Error{Status: response.StatusCode, Code: "UNKNOWN", RequestID: response.Header.Get("X-Request-Id")}
	if isJSON {
		// A body that cannot be read leaves the status.
		_ = json.Unmarshal(content, refusal)
	}
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable {
		return -1, refusal
	}
	if seconds, err := strconv.ParseFloat(response.Header.Get("Retry-After"), 64); err == nil && !isLast {
		if seconds > longestWait.Seconds() {
			return -1, refusal
		}
		// At least a moment: zero would mean that nobody said how long.
		return time.Duration(seconds*float64(time.Second)) + time.Millisecond, refusal
	}
	return wait, refusal
}

func (c *Client) authorize(request *http.Request, credential string) error {
	switch credential {
	case "none":
		return nil
	case "partner":
		if c.Partner == nil {
			return errors.New("this operation needs the client's Partner")
		}
		request.SetBasicAuth(c.Partner.Email, c.Partner.Password)
		return nil
	}
	token, field := c.AccessToken, "AccessToken"
	if credential == "apiKey" {
		token, field = c.APIKey, "APIKey"
	}
	if token == "" {
		return fmt.Errorf("this operation needs the client's %s", field)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return nil
}

func randomKey() (string, error) {
	key := make([]byte, 16)
	_, err := rand.Read(key)
	return hex.EncodeToString(key), err
}
