<?php

declare(strict_types=1);

namespace Trunkline;

/** What the service refused. */
final class TrunklineError extends \RuntimeException
{
    /** Code of the error, such as `VALIDATION_ERROR`. A newer service may have more codes. */
    public readonly string $error;

    /** More to know, such as invalid fields. */
    public readonly mixed $data;

    /**
     * @param int $status Status of HTTP.
     * @param string|null $requestId To find the request in the service's log.
     */
    public function __construct(public readonly int $status, array $body, public readonly ?string $requestId)
    {
        parent::__construct($body['description'] ?? "The service answered $status");
        $this->error = $body['error'] ?? 'UNKNOWN';
        $this->data = $body['data'] ?? null;
    }
}
