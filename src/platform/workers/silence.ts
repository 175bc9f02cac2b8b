/** The state of a process since its last heartbeat. */
export interface Silence {
  readonly wallMs: number;
  /** The CPU time used since then; null if the system does not report it. */
  readonly cpuMs: number | null;
  /** Whether it has ever sent a heartbeat. */
  readonly everHeard: boolean;
}

/** The limit is multiplied by this for an idle process, which may wait for memory or a slow disk. */
const IDLE_LIMIT_FACTOR = 6;
/**
 * Below this share of one core a process counts as idle. A process that waits for CPU gets more, however busy the
 * machine.
 */
const IDLE_SHARE = 0.01;

/**
 * Whether a silent process is stuck: it has used more CPU time than the limit without a heartbeat. A healthy process
 * on a busy machine may be silent for as long, because it waits for CPU.
 */
export function isStuck({ wallMs, cpuMs, everHeard: hasSpoken }: Silence, limitMs: number): boolean {
  const isLong = wallMs > limitMs * IDLE_LIMIT_FACTOR;
  // Start-up takes time. After that, wall time decides if CPU time is not reported.
  if (cpuMs === null) return isLong || (hasSpoken && wallMs > limitMs);
  return cpuMs > limitMs || (isLong && cpuMs < wallMs * IDLE_SHARE);
}
