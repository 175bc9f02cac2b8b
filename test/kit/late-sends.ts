/**
 * The messages of one client that arrived after later ones of it and may have: a node that was frozen while it wrote
 * a request completes it when it resumes, after its channel was taken over. Each freeze causes at most one, of unknown
 * outcome. Pure.
 */
export function lateSends<T>(
  arrived: readonly T[],
  { placeOf, isUnknown }: { placeOf(message: T): number; isUnknown(message: T): boolean },
): T[] {
  let latest = Number.NEGATIVE_INFINITY;
  return arrived.filter((message) => {
    const isLate = placeOf(message) < latest;
    latest = Math.max(latest, placeOf(message));
    return isLate && isUnknown(message);
  });
}
