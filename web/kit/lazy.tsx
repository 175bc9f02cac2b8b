import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

const RETRY_MS = 3_000;

/**
 * A component that is loaded when it is first rendered; nothing is shown until then. For parts of a page that its
 * opening does not need. Without a connection, loading is retried as long as it is rendered.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element | null {
  // A signal, because it may be set between a render and its effect, by another place that shows the component.
  const loaded = signal<ComponentType<Props> | null>(null);
  return function Lazy(props: Props) {
    useEffect(() => {
      let timer = 0;
      let isShown = true;
      const attempt = (): void => {
        if (loaded.value !== null) return;
        load().then(
          (component) => {
            loaded.value = component;
          },
          () => {
            if (isShown) timer = window.setTimeout(attempt, RETRY_MS);
          },
        );
      };
      attempt();
      return () => {
        isShown = false;
        clearTimeout(timer);
      };
    }, []);
    const Component = loaded.value;
    return Component === null ? null : <Component {...props} />;
  };
}
