import { useEffect, useRef, useState } from "preact/hooks";
import { labelEvery, segmentsOf, ticksOf } from "./scale.ts";

export interface Line {
  readonly key: string;
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly label: string;
  readonly lines: readonly Line[];
  /** Name of each point. */
  readonly times: readonly string[];
  readonly valueText: (value: number) => string;
  readonly isWhole: boolean;
  /** The point under the pointer, or chosen with the arrow keys. */
  readonly chosen: number | null;
  readonly onChoose: (point: number | null) => void;
}

const HEIGHT = 260;
const MARGIN = { top: 10, right: 24, bottom: 26, left: 58 };
const STROKES = [
  "stroke-[var(--chart-1)]",
  "stroke-[var(--chart-2)]",
  "stroke-[var(--chart-3)]",
  "stroke-[var(--chart-4)]",
  "stroke-[var(--chart-5)]",
  "stroke-[var(--chart-6)]",
] as const;
const FILLS = [
  "fill-[var(--chart-1)]",
  "fill-[var(--chart-2)]",
  "fill-[var(--chart-3)]",
  "fill-[var(--chart-4)]",
  "fill-[var(--chart-5)]",
  "fill-[var(--chart-6)]",
] as const;
/** Lines also differ by their form. */
const DASHES = ["", "8 4", "2 4", "10 3 2 3", "5 2", "1 3"] as const;
const styleOf = <T,>(of: readonly T[], index: number): T | undefined => of[index % of.length];

/** The sign of a line in a table. */
export function LineSign({ index }: { readonly index: number }) {
  return (
    <svg width="28" height="10" aria-hidden="true" class="shrink-0">
      <line
        x1="0"
        y1="5"
        x2="28"
        y2="5"
        class={styleOf(STROKES, index)}
        stroke-width="2.5"
        stroke-dasharray={styleOf(DASHES, index)}
      />
    </svg>
  );
}

/** Lines over time, with axes; the arrow keys and the pointer choose a point. */
export function Chart({ label, lines, times, valueText, isWhole, chosen, onChoose }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const plot = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const max = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksOf(max, isWhole);
  const top = ticks.at(-1) ?? 1;
  const last = Math.max(1, times.length - 1);
  const x = (point: number) => MARGIN.left + (point / last) * plot.width;
  const y = (value: number) => MARGIN.top + plot.height * (1 - value / top);
  const every = labelEvery(times.length, plot.width, 64);
  const choose = (point: number) => onChoose(Math.min(Math.max(point, 0), times.length - 1));
  const pointAt = (event: PointerEvent): number => {
    const left = (event.currentTarget as Element).getBoundingClientRect().left;
    return Math.round(((event.clientX - left - MARGIN.left) / Math.max(1, plot.width)) * last);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose((chosen ?? (by > 0 ? -1 : times.length)) + by);
  };
  return (
    <div ref={box} class="min-w-0 overflow-hidden">
      {width > 0 && (
        <svg
          role="img"
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys choose a point
          tabIndex={0}
          width={width}
          height={HEIGHT}
          class="block touch-pan-y text-xs"
          onPointerMove={(event) => choose(pointAt(event))}
          onPointerDown={(event) => choose(pointAt(event))}
          onPointerLeave={() => onChoose(null)}
          onBlur={() => onChoose(null)}
          onKeyDown={onKey}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={y(tick)}
                y2={y(tick)}
                class="stroke-line"
              />
              <text x={MARGIN.left - 8} y={y(tick) + 4} text-anchor="end" class="fill-dim">
                {valueText(tick)}
              </text>
            </g>
          ))}
          {times.map((time, point) =>
            point % every === 0 ? (
              <text key={time} x={x(point)} y={HEIGHT - 6} text-anchor="middle" class="fill-dim">
                {time}
              </text>
            ) : null,
          )}
          {chosen !== null && (
            <line
              x1={x(chosen)}
              x2={x(chosen)}
              y1={MARGIN.top}
              y2={MARGIN.top + plot.height}
              class="stroke-edge"
            />
          )}
          {lines.map(({ key, values }, index) => (
            <g key={key}>
              {segmentsOf(values.map((value, point) => (value === null ? null : { value, point }))).map(
                (part) => (
                  <polyline
                    key={part[0]?.point}
                    points={part.map(({ value, point }) => `${x(point)},${y(value)}`).join(" ")}
                    fill="none"
                    class={styleOf(STROKES, index)}
                    stroke-width="2"
                    stroke-linejoin="round"
                    stroke-dasharray={styleOf(DASHES, index)}
                  />
                ),
              )}
              {values.map((value, point) =>
                value !== null && (point === chosen || isAlone(values, point)) ? (
                  <circle
                    key={times[point]}
                    cx={x(point)}
                    cy={y(value)}
                    r="3.5"
                    class={styleOf(FILLS, index)}
                  />
                ) : null,
              )}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

/** A value without neighbours has no line. */
function isAlone(values: readonly (number | null)[], point: number): boolean {
  return (values[point - 1] ?? null) === null && (values[point + 1] ?? null) === null;
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
