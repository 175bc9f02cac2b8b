import { type ComponentChild, Fragment, h, options, render } from "preact";
import { expect, test } from "vitest";
import { lazy } from "./lazy.tsx";

/** A container for text, and the effects that wait for the next frame. */
function openRoot() {
  const texts: { data: string }[] = [];
  const effects: (() => void)[] = [];
  const root = {
    nodeType: 1,
    ownerDocument: { createTextNode: (data: string) => ({ nodeType: 3, data, parentNode: root }) },
    insertBefore: (node: { data: string }) => texts.push(node),
    removeChild: (node: { data: string }) => texts.splice(texts.indexOf(node), 1),
  };
  options.requestAnimationFrame = (effect) => void effects.push(effect);
  return {
    show: (content: ComponentChild) => render(content, root as unknown as Element),
    nextFrame() {
      for (const effect of effects.splice(0)) effect();
    },
    text: () => texts.map(({ data }) => data).join(),
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a component that is loaded between a render and its effect, by another place, is shown", async () => {
  const part = Promise.withResolvers<() => ReturnType<typeof h>>();
  const Part = lazy(() => part.promise);
  const { show, nextFrame, text } = openRoot();
  show(h(Part, { key: "first" }));
  nextFrame();
  show(h(Part, { key: "second" }));
  expect(text()).toBe("");
  part.resolve(() => h(Fragment, null, "loaded"));
  await settled();
  nextFrame();
  await settled();
  expect(text()).toBe("loaded");
});
