// Command client uses the client for Go as test/system/clients.test.ts asks, and prints what happened.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"

	trunkline "github.com/trunkline/trunkline/clients/go"
)

type given struct {
	URL       string                    `json:"url"`
	Recipient trunkline.V2SendRecipient `json:"recipient"`
	Text      string                    `json:"text"`
	Webhook   struct {
		Secret  string            `json:"secret"`
		Other   string            `json:"other"`
		Headers map[string]string `json:"headers"`
		Forged  map[string]string `json:"forged"`
		Body    string            `json:"body"`
	} `json:"webhook"`
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var in given
	must(0, json.NewDecoder(os.Stdin).Decode(&in))
	ctx := context.Background()
	client := &trunkline.Client{
		BaseURL: in.URL, AccessToken: os.Getenv("ACCESS_TOKEN"), APIKey: os.Getenv("API_KEY"),
	}
	channels := must(client.ListChannels(ctx)).Data
	transports := []string{}
	for _, channel := range channels {
		transports = append(transports, channel.Transport)
	}
	message := trunkline.SendMessageRequest{
		ChannelID: channels[0].ChannelID, Recipient: in.Recipient, Text: &in.Text,
	}
	sent := must(client.SendMessage(ctx, message))
	message.Recipient.ChatType = "sms"
	_, err := client.SendMessage(ctx, message)
	var refusal *trunkline.Error
	if !errors.As(err, &refusal) {
		log.Fatal("not refused: ", err)
	}
	_, err = client.ListPipelines(ctx)
	var late *trunkline.Error
	if !errors.As(err, &late) {
		log.Fatal("not refused: ", err)
	}
	one := trunkline.Ptr(int64(1))
	chats := []string{}
	must(0, client.EachListChats(ctx, &trunkline.ListChatsQuery{Limit: one}, func(chat trunkline.V2Chat) error {
		chats = append(chats, chat.ChatID)
		return nil
	}))
	messages := 0
	must(0, client.EachListMessages(ctx, "telegram", *in.Recipient.ChatID, &trunkline.ListMessagesQuery{Limit: one},
		func(trunkline.V2Message) error {
			messages++
			return nil
		}))
	contacts := []string{}
	must(0, client.EachListContacts(ctx, nil, func(contact trunkline.V3Contact) error {
		contacts = append(contacts, contact.ID)
		return nil
	}))
	changes := trunkline.ChangeWebhooksRequest{}
	must(0, json.Unmarshal([]byte(`{"subscriptions":{"messagesAndStatuses":true}}`), &changes))
	headers := http.Header{}
	for name, value := range in.Webhook.Headers {
		headers.Set(name, value)
	}
	forged := http.Header{}
	for name, value := range in.Webhook.Forged {
		forged.Set(name, value)
	}
	old := headers.Clone()
	old.Set("Webhook-Timestamp", "1")
	body := []byte(in.Webhook.Body)
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"transports": transports,
		"accepted":   len(sent.Data.RequestID) == 36,
		"refusal":    []any{refusal.Status, refusal.Code, refusal.Data != nil, refusal.RequestID != ""},
		"late":       []any{late.Status, late.Code},
		"chats":      chats,
		"messages":   messages,
		"contacts":   contacts,
		"changed":    must(client.ChangeWebhooks(ctx, changes)),
		"genuine": []bool{
			trunkline.IsGenuine(in.Webhook.Secret, headers, body),
			trunkline.IsGenuine(in.Webhook.Secret, headers, append(body, ' ')),
			trunkline.IsGenuine(in.Webhook.Other, headers, body),
			trunkline.IsGenuine(in.Webhook.Secret, old, body),
			trunkline.IsGenuine("whsec_", forged, body),
		},
	}))
}
