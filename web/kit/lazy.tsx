import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A component that is loaded when it is first rendered; nothing stands in its place until then. For parts of a page that
 * most visits never open.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element | null {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, render] = useState(0);
    useEffect(() => {
      if (loaded !== null) return;
      void load().then((component) => {
        loaded = component;
        render((count) => count + 1);
      });
    }, []);
    const Component = loaded;
    return Component === null ? null : <Component {...props} />;
  };
}
