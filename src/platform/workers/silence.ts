/** What is known of a process since it was heard last. */
export interface Silence {
  readonly wallMs: number;
  /** How long it had the processor in that time; null where the system does not tell. */
  readonly cpuMs: number | null;
  /** It has given a sign of life since its start. */
  readonly hasSpoken: boolean;
}

/** A process that does nothing is given so many times the limit: it may lack memory, or a disk that answers. */
const IDLE_PATIENCE = 6;
/** With less of one processor a process does nothing; one that waits for its turn gets more, however busy the machine. */
const IDLE_SHARE = 0.01;

/**
 * Whether a silent process is stuck: it had the processor for longer than the limit and said nothing. On a busy machine
 * a healthy one may be silent as long, for it waits for its turn.
 */
export function isStuck({ wallMs, cpuMs, hasSpoken }: Silence, limitMs: number): boolean {
  const isLong = wallMs > limitMs * IDLE_PATIENCE;
  // A start takes its time; afterwards the clock has to do where the system does not tell.
  if (cpuMs === null) return isLong || (hasSpoken && wallMs > limitMs);
  return cpuMs > limitMs || (isLong && cpuMs < wallMs * IDLE_SHARE);
}
