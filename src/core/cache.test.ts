import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Cache } from "./cache.ts";

describe("Cache", () => {
  const of = (maxEntries: number, ...keys: readonly string[]): Cache<string, string> => {
    const cache = new Cache<string, string>({ maxEntries });
    for (const key of keys) cache.set(key, key.toUpperCase());
    return cache;
  };
  const present = (cache: Cache<string, string>): string =>
    ["a", "b", "c", "d"].filter((key) => cache.get(key) !== undefined).join("");

  it("returns stored entries", () => {
    const cache = of(3, "a", "b");
    expect(cache.get("a")).toBe("A");
    cache.set("a", "new");
    expect(cache.get("a")).toBe("new");
  });

  it("evicts the oldest entry first", () => {
    expect(present(of(3, "a", "b", "c", "d"))).toBe("bcd");
    expect(present(of(1, "a", "b"))).toBe("b");
  });

  it("replacing an entry evicts nothing and makes it the newest", () => {
    const cache = of(3, "a", "b", "c", "b");
    expect(present(cache)).toBe("abc");
    for (const key of ["d", "a"]) cache.set(key, key);
    expect(present(cache)).toBe("abd");
  });

  it("keeps values that are false or null", () => {
    const cache = new Cache<string, unknown>({ maxEntries: 3 });
    cache.set("a", null);
    cache.set("b", false);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([null, false, undefined]);
  });

  it("deletes one entry or all", () => {
    const cache = of(3, "a", "b", "c");
    cache.delete("b");
    expect(present(cache)).toBe("ac");
    cache.clear();
    expect(present(cache)).toBe("");
  });
});

describe("a cache with expiry", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("returns no entry after its lifetime, counted from when it was set", () => {
    const cache = new Cache<string, number>({ maxEntries: 3, ttlMs: 1_000 });
    cache.set("a", 1);
    vi.advanceTimersByTime(600);
    cache.set("b", 2);
    vi.advanceTimersByTime(399);
    expect([cache.get("a"), cache.get("b")]).toEqual([1, 2]);
    vi.advanceTimersByTime(1);
    expect([cache.get("a"), cache.get("b")]).toEqual([undefined, 2]);
    cache.set("a", 3);
    vi.advanceTimersByTime(999);
    expect([cache.get("a"), cache.get("b")]).toEqual([3, undefined]);
  });

  it("without a lifetime, entries do not expire", () => {
    const cache = new Cache<string, number>({ maxEntries: 3 });
    cache.set("a", 1);
    vi.advanceTimersByTime(365 * 86_400_000);
    expect(cache.get("a")).toBe(1);
  });
});
