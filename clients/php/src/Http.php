<?php

declare(strict_types=1);

namespace Trunkline;

/** Requests, repetitions and errors. The methods of operations are in `Operations.php`. */
abstract class Http
{
    private const FIRST_PAUSE_SECONDS = 0.5;
    /** Whoever has to wait longer gets the refusal at once. */
    private const LONGEST_WAIT_SECONDS = 60;

    private string $baseUrl;

    /**
     * @param string $baseUrl The service, such as `https://gateway.example`.
     * @param string|null $accessToken For `/v2`.
     * @param string|null $apiKey For `/v3`.
     * @param array{string, string}|null $partner E-mail and password, for a partner's accounts and tokens.
     * @param int $retries How often a request is repeated when no answer came, or when one asks to wait.
     * @param int $timeout In seconds, of each attempt.
     */
    public function __construct(
        string $baseUrl,
        private ?string $accessToken = null,
        private ?string $apiKey = null,
        private ?array $partner = null,
        private int $retries = 2,
        private int $timeout = 60,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /**
     * The items of all pages of a list, read as they are needed: `$client->pages('listChats', query: ['limit' => 100])`.
     *
     * @param string $method Name of the method of the list.
     * @param list<string> $path Its parameters before the query.
     * @param array<string, mixed> $query
     * @return \Generator<int, mixed>
     */
    public function pages(string $method, array $path = [], array $query = []): \Generator
    {
        while (true) {
            $page = $this->{$method}(...$path, query: $query);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            $following = self::nextPage($page, $query);
            if ($following === null) {
                return;
            }
            $query = $following;
        }
    }

    /** The query of the page after this one; null if it is the last. */
    private static function nextPage(array $page, array $query): ?array
    {
        if (array_key_exists('next', $page)) {
            return $page['next'] === null ? null : ['cursor' => $page['next']] + $query;
        }
        if (array_key_exists('next', $page['meta'] ?? [])) {
            $next = $page['meta']['next'];
            $isForward = isset($query['after']) && !isset($query['before']);
            return $next === null ? null : [$isForward ? 'after' : 'before' => $next] + $query;
        }
        $count = count($page['data']);
        return $count === 0 ? null : ['offset' => (int) ($query['offset'] ?? 0) + $count] + $query;
    }

    /** @return array|string */
    protected function call(
        string $method,
        string $path,
        string $credential,
        array $query = [],
        ?array $body = null,
        ?string $idempotencyKey = null,
    ): array|string {
        $given = array_map(
            fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value,
            array_filter($query, fn ($value) => $value !== null),
        );
        $url = $this->baseUrl . $path . ($given === [] ? '' : '?' . http_build_query($given, '', '&', PHP_QUERY_RFC3986));
        $headers = ['Accept: application/json', 'Expect:', ...$this->authorization($credential)];
        $content = null;
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            // An empty array is an empty object: no body of the interface is an empty list.
            $content = $body === [] ? '{}' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        } elseif (in_array($method, ['POST', 'PUT', 'PATCH'], true)) {
            $content = '';
        }
        if ($method === 'POST') {
            if (preg_match('/[^\x20-\x7e]/', $idempotencyKey ?? '') === 1) {
                // A line break would begin another header.
                throw new \InvalidArgumentException('The idempotency key may have printable ASCII characters only');
            }
            // Repeating the request has no second effect.
            $headers[] = 'Idempotency-Key: ' . ($idempotencyKey ?? self::randomKey());
        }
        for ($attempt = 0; ; $attempt++) {
            [$status, $answer, $text, $problem] = $this->attempt($method, $url, $headers, $content);
            $asked = is_numeric($answer['retry-after'] ?? null) ? max(0.0, (float) $answer['retry-after']) : null;
            $isLast = $attempt >= $this->retries || $asked > self::LONGEST_WAIT_SECONDS;
            if ($status === 0) {
                if ($isLast) {
                    throw new \RuntimeException("$method $path: no answer: $problem");
                }
            } elseif ($isLast || !in_array($status, [429, 503], true)) {
                return self::read($status, $answer, $text);
            }
            $wait = $asked ?? self::FIRST_PAUSE_SECONDS * 2 ** $attempt * (0.8 + 0.4 * mt_rand() / mt_getrandmax());
            usleep((int) ($wait * 1_000_000));
        }
    }

    /**
     * @param list<string> $headers
     * @return array{int, array<string, string>, string, string} Status (0: no answer), headers, body, problem.
     */
    private function attempt(string $method, string $url, array $headers, ?string $content): array
    {
        $answer = [];
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeout,
            // A redirect would carry the token to another address.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$answer): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $answer[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if ($content !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $content);
        }
        $text = curl_exec($curl);
        if ($text === false) {
            return [0, [], '', curl_error($curl)];
        }
        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $answer, $text, ''];
    }

    /** @return list<string> */
    private function authorization(string $credential): array
    {
        if ($credential === 'none') {
            return [];
        }
        if ($credential === 'partner') {
            if ($this->partner === null) {
                throw new \LogicException('This operation needs the client\'s option partner');
            }
            return ['Authorization: Basic ' . base64_encode(implode(':', $this->partner))];
        }
        $token = $credential === 'apiKey' ? $this->apiKey : $this->accessToken;
        if ($token === null) {
            throw new \LogicException("This operation needs the client's option $credential");
        }
        return ["Authorization: Bearer $token"];
    }

    private static function read(int $status, array $headers, string $text): array|string
    {
        $isJson = str_starts_with($headers['content-type'] ?? '', 'application/json');
        $body = $isJson ? json_decode($text, true, 512, $status < 400 ? JSON_THROW_ON_ERROR : 0) : $text;
        if ($status >= 200 && $status < 300) {
            return $body;
        }
        throw new TrunklineError($status, is_array($body) ? $body : [], $headers['x-request-id'] ?? null);
    }

    private static function randomKey(): string
    {
        return bin2hex(random_bytes(16));
    }
}
