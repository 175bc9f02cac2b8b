import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

const RETRY_MS = 3_000;

/**
 * A component that is loaded when it is first rendered; nothing is shown until then. For parts of a page that most
 * visits never open. Without a connection, loading is retried as long as it is rendered.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element | null {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [attempts, setAttempts] = useState(0);
    useEffect(() => {
      if (loaded !== null) return;
      let timer = 0;
      const again = () => setAttempts(attempts + 1);
      load().then(
        (component) => {
          loaded = component;
          again();
        },
        () => {
          timer = window.setTimeout(again, RETRY_MS);
        },
      );
      return () => clearTimeout(timer);
    }, [attempts]);
    const Component = loaded;
    return Component === null ? null : <Component {...props} />;
  };
}
