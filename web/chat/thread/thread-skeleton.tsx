const BARS = ["w-48", "w-64", "w-40 self-end", "w-56 self-end", "w-72", "w-44"] as const;

/** In place of the messages while they are loading. */
export function ThreadSkeleton() {
  return (
    <div class="appears-late flex h-full flex-1 flex-col justify-end gap-2 p-4" aria-busy="true">
      {BARS.map((look) => (
        <div key={look} class={`h-9 max-w-4/5 rounded-lg bg-in ${look}`} />
      ))}
    </div>
  );
}
