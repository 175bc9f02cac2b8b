import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { composerField } from "../composer/composer-focus.ts";
import { loadAnswers } from "./answers.ts";
import { type TypedName, typedName } from "./typed-name.ts";

/**
 * The name being typed after a slash while the field has the focus, and a function that closes the list until the
 * next slash.
 */
export function useTypedName(): readonly [TypedName | null, () => void] {
  const [typed, setTyped] = useState<TypedName | null>(null);
  const dismissed = useRef<number | null>(null);
  const isOpen = typed !== null;
  useEffect(() => {
    if (isOpen) void loadAnswers();
  }, [isOpen]);
  useLayoutEffect(() => {
    const field = composerField.current;
    if (field === null) return;
    const stop = new AbortController();
    const look = () => {
      const { value, selectionStart, selectionEnd } = field;
      const hasCaret = document.activeElement === field && selectionStart === selectionEnd;
      const now = hasCaret ? typedName(value, selectionStart) : null;
      if (now === null && value[dismissed.current ?? -1] !== "/") dismissed.current = null;
      const next = now === null || now.start === dismissed.current ? null : now;
      setTyped((before) => (isSame(before, next) ? before : next));
    };
    for (const type of ["input", "focus", "blur"])
      field.addEventListener(type, look, { signal: stop.signal });
    document.addEventListener("selectionchange", look, { signal: stop.signal });
    look();
    return () => stop.abort();
  }, []);
  const dismiss = () => {
    dismissed.current = typed?.start ?? null;
    setTyped(null);
  };
  return [typed, dismiss];
}

function isSame(a: TypedName | null, b: TypedName | null): boolean {
  return a?.start === b?.start && a?.name === b?.name && a?.isFirst === b?.isFirst;
}

/**
 * The index of the option that Enter chooses, -1 for none. A choice made with the arrow keys lasts until the name
 * changes.
 */
export function useActive(typed: TypedName | null, first: number, count: number) {
  const [moved, setMoved] = useState<{ readonly typed: TypedName | null; readonly to: number } | null>(null);
  const active = moved !== null && moved.typed === typed ? Math.min(moved.to, count - 1) : first;
  return [active, (to: number) => setMoved({ typed, to })] as const;
}

/** Describes the list to assistive technology; null: it is closed. */
export function useFieldAttributes(listId: string | null, active: number): void {
  useLayoutEffect(() => {
    const field = composerField.current;
    if (field === null || listId === null) return;
    const given = {
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      "aria-controls": listId,
      ...(active < 0 ? {} : { "aria-activedescendant": `${listId}-${active}` }),
    };
    for (const [name, value] of Object.entries(given)) field.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(given)) field.removeAttribute(name);
    };
  }, [listId, active]);
}

/** Handles keys of the field before the composer does: keys that `take` handles have no other effect. */
export function useFieldKeys(take: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(take);
  latest.current = take;
  useLayoutEffect(() => {
    const field = composerField.current;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!latest.current(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    field?.addEventListener("keydown", onKeyDown, true);
    return () => field?.removeEventListener("keydown", onKeyDown, true);
  }, []);
}
