import { originsOf, serviceOf } from "./origins.ts";

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

/** Asks the person whether the site of the tab may ask for the passkey. */
async function show(): Promise<void> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const site = serviceOf(tab?.url);
  if (site === null) {
    element("text").textContent = chrome.i18n.getMessage("nowhere");
    return;
  }
  const isAllowed = await chrome.permissions.contains(originsOf(site));
  element("text").textContent = chrome.i18n.getMessage(isAllowed ? "allowed" : "question", [site]);
  element("advice").textContent = chrome.i18n.getMessage("advice");
  element("advice").hidden = isAllowed;
  const button = element<HTMLButtonElement>("button");
  button.hidden = false;
  button.textContent = chrome.i18n.getMessage(isAllowed ? "revoke" : "allow");
  button.onclick = () =>
    // The browser's own question may close this window; the background script goes on.
    void (
      isAllowed ? chrome.permissions.remove(originsOf(site)) : chrome.permissions.request(originsOf(site))
    ).then(show);
}

document.documentElement.lang = chrome.i18n.getUILanguage();
element("name").textContent = chrome.i18n.getMessage("name");
void show();
