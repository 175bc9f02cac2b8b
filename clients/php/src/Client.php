<?php

declare(strict_types=1);

namespace Trunkline;

/**
 * A method for every operation of the interface. Methods throw `TrunklineError` for what the service refuses, and
 * `RuntimeException` when no answer came.
 */
final class Client extends Operations
{
}
