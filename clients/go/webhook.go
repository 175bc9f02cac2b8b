package trunkline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// IsGenuine reports whether the service has sent this request (Standard Webhooks). The secret is that of
// GET /v3/webhooks/secret, the body is as it arrived. Deduplicate by the header Webhook-Id.
func IsGenuine(secret string, headers http.Header, body []byte) bool {
	return isGenuineAt(time.Now(), secret, headers, body)
}

func isGenuineAt(now time.Time, secret string, headers http.Header, body []byte) bool {
	id, timestamp := headers.Get("Webhook-Id"), headers.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return false
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	isGenuine := false
	for _, signature := range strings.Fields(headers.Get("Webhook-Signature")) {
		isGenuine = hmac.Equal([]byte(signature), expected) || isGenuine
	}
	return isGenuine
}
