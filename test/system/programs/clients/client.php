<?php

// Uses the client for PHP as test/system/clients.test.ts asks, and prints what happened.

declare(strict_types=1);

use Trunkline\{Client, TrunklineError, Webhook};

spl_autoload_register(function (string $class): void {
    require dirname(__DIR__, 4) . '/clients/php/src/' . substr($class, strlen('Trunkline\\')) . '.php';
});

$given = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$client = new Client($given['url'], accessToken: getenv('ACCESS_TOKEN'), apiKey: getenv('API_KEY'));
$channels = $client->listChannels()['data'];
$message = ['channel_id' => $channels[0]['channel_id'], 'recipient' => $given['recipient'], 'text' => $given['text']];
$sent = $client->sendMessage($message);
try {
    $client->sendMessage(['recipient' => ['chat_type' => 'sms', 'chat_id' => '1']] + $message);
    $refusal = null;
} catch (TrunklineError $error) {
    $refusal = [$error->status, $error->error, $error->data !== null, $error->requestId !== null];
}
try {
    $client->sendMessage($message, idempotencyKey: "a\r\nX-Other: b");
    $isSafe = false;
} catch (InvalidArgumentException) {
    $isSafe = true;
}
try {
    $late = $client->listPipelines();
} catch (TrunklineError $error) {
    $late = [$error->status, $error->error];
}
$path = ['telegram', $given['recipient']['chat_id']];
['secret' => $secret, 'other' => $other, 'forged' => $forged, 'headers' => $headers, 'body' => $body] = $given['webhook'];
echo json_encode([
    'transports' => array_column($channels, 'transport'),
    'accepted' => strlen($sent['data']['request_id']) === 36,
    'refusal' => $isSafe ? $refusal : 'a key with a line break was sent',
    'late' => $late,
    'chats' => array_column(iterator_to_array($client->pages('listChats', query: ['limit' => 1]), false), 'chat_id'),
    'messages' => count(iterator_to_array($client->pages('listMessages', $path, ['limit' => 1]), false)),
    'contacts' => array_column(iterator_to_array($client->pages('listContacts'), false), 'id'),
    'changed' => $client->changeWebhooks(['subscriptions' => ['messagesAndStatuses' => true]]),
    'genuine' => [
        Webhook::isGenuine($secret, $headers, $body),
        Webhook::isGenuine($secret, $headers, "$body "),
        Webhook::isGenuine($other, $headers, $body),
        Webhook::isGenuine($secret, ['webhook-timestamp' => '1'] + $headers, $body),
        Webhook::isGenuine('whsec_', $forged, $body),
    ],
], JSON_THROW_ON_ERROR);
