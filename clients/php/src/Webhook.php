<?php

declare(strict_types=1);

namespace Trunkline;

/** Signatures of webhooks, by Standard Webhooks (https://www.standardwebhooks.com). */
final class Webhook
{
    private const TOLERANCE_SECONDS = 300;

    /**
     * Whether the service has sent this request. Deduplicate by the header `webhook-id`.
     *
     * @param string $secret That of `GET /v3/webhooks/secret` (`whsec_…`).
     * @param array<string, string> $headers Names in any case, such as those of `getallheaders()`.
     * @param string $body As it arrived: `file_get_contents('php://input')`.
     */
    public static function isGenuine(string $secret, array $headers, string $body, ?int $now = null): bool
    {
        $given = array_change_key_case($headers, CASE_LOWER);
        $id = $given['webhook-id'] ?? '';
        $timestamp = $given['webhook-timestamp'] ?? '';
        $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, 6) : $secret, true);
        if ($key === false || $key === '' || $id === '' || !ctype_digit($timestamp)) {
            return false;
        }
        if (abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            return false;
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        $isGenuine = false;
        foreach (explode(' ', $given['webhook-signature'] ?? '') as $signature) {
            $isGenuine = hash_equals($expected, $signature) || $isGenuine;
        }
        return $isGenuine;
    }
}
