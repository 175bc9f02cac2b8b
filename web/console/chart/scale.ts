/** Round values from 0 to at least `max`, at most five of them, for an axis. */
export function ticksOf(max: number, isWhole: boolean): number[] {
  const target = max > 0 ? max : 1;
  const rough = target / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * unit >= rough) ?? 10;
  const step = isWhole ? Math.max(1, Math.round(factor * unit)) : factor * unit;
  const count = Math.ceil(target / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Every how many points the axis names one, so that names of this width have space. */
export function labelEvery(points: number, width: number, labelWidth: number): number {
  return Math.max(1, Math.ceil(points / Math.max(1, Math.floor(width / labelWidth))));
}

/** The parts of a line between missing values, as points of the chart. */
export function segmentsOf<Point>(points: readonly (Point | null)[]): (readonly Point[])[] {
  const segments: Point[][] = [[]];
  for (const point of points)
    if (point === null) segments.push([]);
    else segments.at(-1)?.push(point);
  return segments.filter((segment) => segment.length > 0);
}
