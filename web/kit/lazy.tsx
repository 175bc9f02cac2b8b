import { signal } from "@preact/signals";
import type { ComponentChild, ComponentType } from "preact";
import { useEffect } from "preact/hooks";

const RETRY_MS = 3_000;

export interface Lazy<Props extends object> {
  (props: Props): ComponentChild;
  /** Loads it before it is rendered, so that it is shown at once. Rejects if that fails; rendering it tries again. */
  preload(): Promise<void>;
}

/**
 * A component that is loaded when it is first rendered; `Waiting` is shown until then, by default nothing. For parts of
 * a page that its opening does not need. Without a connection, loading is retried as long as it is rendered.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting: ComponentType = () => null,
): Lazy<Props> {
  // A signal, because it may be set between a render and its effect, by another place that shows the component.
  const loaded = signal<ComponentType<Props> | null>(null);
  const preload = async (): Promise<void> => {
    loaded.value ??= await load();
  };
  function Loaded(props: Props) {
    useEffect(() => {
      let timer = 0;
      let isShown = true;
      const attempt = (): void => {
        preload().catch(() => {
          if (isShown) timer = window.setTimeout(attempt, RETRY_MS);
        });
      };
      attempt();
      return () => {
        isShown = false;
        clearTimeout(timer);
      };
    }, []);
    const Component = loaded.value;
    return Component === null ? <Waiting /> : <Component {...props} />;
  }
  return Object.assign(Loaded, { preload });
}
