// Runs in the pages of the services that the person has allowed: passes the page's request to the extension, and the
// answer back. Without imports, since the browser loads it as a classic script.

interface FromPage {
  readonly to?: unknown;
  readonly kind?: unknown;
  readonly id?: unknown;
  readonly request?: unknown;
}

(() => {
  const scope = globalThis as { isTrunklinePasskeyRelay?: true };
  if (scope.isTrunklinePasskeyRelay) return;
  scope.isTrunklinePasskeyRelay = true;

  const post = (message: object): void =>
    window.postMessage({ ...message, from: "trunkline-passkey" }, location.origin);

  window.addEventListener("message", ({ source, origin, data }: MessageEvent<FromPage | null>) => {
    if (source !== window || origin !== location.origin || data?.to !== "trunkline-passkey") return;
    if (data.kind === "hello") post({ kind: "ready" });
    if (data.kind !== "ask") return;
    const { id, request } = data;
    const fail = (): void => post({ kind: "result", id, reason: "failed" });
    // Only a press of the person starts it.
    if (!navigator.userActivation.isActive) return fail();
    try {
      // Throws if the extension was updated or removed meanwhile.
      chrome.runtime.sendMessage({ kind: "ask", id, request }).catch(fail);
    } catch {
      fail();
    }
  });
  chrome.runtime.onMessage.addListener((message) => post(message as object));
  post({ kind: "ready" });
})();
