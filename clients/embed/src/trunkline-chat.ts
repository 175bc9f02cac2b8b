import type { ChatName, LinkRequest, TrunklineChatEvents } from "./events.ts";

export type * from "./events.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The page may only be slow, and would begin anew. */
const FIRST_PAUSE_OF_REFUSED_MS = 20_000;
/** From the end of loading until the page has told of itself. */
const SILENCE_MS = 10_000;

const TEXTS = {
  link: "The chats cannot be opened now. Trying again…",
  refused: (origin: string) =>
    `The chats are not shown here. Either the service cannot be reached, or ${origin} may not show them: its operator allows it with “account frames”.`,
};

/**
 * `<trunkline-chat>`: the chat page of an employee. Set `getLink`; everything else is optional. The attributes `theme`,
 * `lang` and `accent` (RRGGBB) set the look, and may change at any time, except `accent`.
 */
export class TrunklineChat extends HTMLElement {
  static readonly observedAttributes = ["theme", "lang"];
  readonly #frame = document.createElement("iframe");
  readonly #note = document.createElement("p");
  #getLink: ((request: LinkRequest) => Promise<string>) | null = null;
  #origin: string | null = null;
  #isReady = false;
  #isAsking = false;
  /** Grows when the element is put into a page: what was asked for before is not for this frame. */
  #stay = 0;
  #wanted: ChatName | null = null;
  /** Whether this page was asked for the chat by a link already, so that one that does not exist is asked for once. */
  #isWantedByLink = false;
  #pause = FIRST_PAUSE_MS;
  /** Until a page that the browser did not show is tried again. */
  #pauseOfRefused = FIRST_PAUSE_OF_REFUSED_MS;
  #timer = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = `
      :host { display: block; position: relative; height: 600px; }
      iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
      p { position: absolute; inset: 0; margin: 0; padding: 16px; font: 15px/1.4 system-ui, sans-serif; background: Canvas; color: CanvasText; }
      [hidden] { display: none; }`;
    this.#frame.title = "Chats";
    this.#frame.allow = "clipboard-write; autoplay; microphone";
    this.#frame.addEventListener("load", () => this.#onLoad());
    this.#note.setAttribute("role", "alert");
    this.#note.hidden = true;
    root.append(style, this.#frame, this.#note);
  }

  /**
   * Returns a fresh link of your server: the answer of `POST /v2/iframe-links/chats` for the employee who is signed in
   * there. Called at first, whenever the session has ended, and for a chat that the page does not list.
   */
  set getLink(get: (request: LinkRequest) => Promise<string>) {
    this.#getLink = get;
    if (this.isConnected && this.#origin === null) this.#open();
  }

  /** Opens a chat, now or once the page is ready. */
  openChat(chat: ChatName): void {
    this.#wanted = chat;
    this.#isWantedByLink = false;
    this.#showWanted();
  }

  override addEventListener<Type extends keyof TrunklineChatEvents>(
    type: Type,
    listener: (event: CustomEvent<TrunklineChatEvents[Type]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: unknown,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener as EventListener, options);
  }

  connectedCallback(): void {
    this.#stay += 1;
    this.#isAsking = false;
    addEventListener("message", this.#take);
    this.#wanted ??= this.#remembered();
    this.#isWantedByLink = false;
    if (this.#getLink !== null) this.#open();
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.#take);
    clearTimeout(this.#timer);
    this.#frame.removeAttribute("src");
    this.#origin = null;
    this.#isReady = false;
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    if (name === "theme") this.#tell("trunkline.theme", { theme: value ?? "system" });
    if (name === "lang" && value !== null) this.#tell("trunkline.language", { language: value });
  }

  /** The first link, as the frame's address. */
  #open(): void {
    void this.#ask({ reason: "open", chat: null }, (link) => {
      const url = new URL(link, location.href);
      for (const name of ["theme", "lang", "accent"]) {
        const value = this.getAttribute(name);
        if (value !== null) url.searchParams.set(name, value);
      }
      this.#origin = url.origin;
      this.#isReady = false;
      this.#frame.src = url.href;
    });
  }

  /** A later link: its ticket renews the session of the page that is open, so that what was typed stays. */
  #renew(request: LinkRequest): void {
    void this.#ask(request, (link) => {
      const ticket = new URL(link, location.href).searchParams.get("ticket");
      this.#tell("trunkline.ticket", { ticket, opensChat: request.chat !== null });
    });
  }

  /** One request at a time; after a failure it is repeated, later each time. */
  async #ask(request: LinkRequest, use: (link: string) => void): Promise<void> {
    if (this.#getLink === null || this.#isAsking) return;
    const stay = this.#stay;
    this.#isAsking = true;
    try {
      const link = await this.#getLink(request);
      if (!this.isConnected || stay !== this.#stay) return;
      use(link);
      this.#note.hidden = true;
      this.#pause = FIRST_PAUSE_MS;
    } catch {
      if (stay !== this.#stay) return;
      if (this.#origin === null) this.#say(TEXTS.link);
      this.#fire("failed", { reason: "link" });
      this.#later(() => void this.#ask(request, use));
    } finally {
      if (stay === this.#stay) this.#isAsking = false;
    }
  }

  #later(act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.isConnected && act(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE_MS, this.#pause * 2);
  }

  /** A page that the browser did not show has loaded, too, but does not tell of itself. */
  #onLoad(): void {
    if (this.#origin === null) return;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#say(TEXTS.refused(location.origin));
      this.#fire("failed", { reason: "refused" });
      this.#pause = this.#pauseOfRefused;
      this.#later(() => this.#open());
      this.#pauseOfRefused = this.#pause;
    }, SILENCE_MS);
  }

  #say(text: string): void {
    this.#note.textContent = text;
    this.#note.hidden = false;
  }

  readonly #take = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== this.#frame.contentWindow || origin !== this.#origin || !isToldByPage(data)) return;
    const chat = nameOf(data);
    switch (data.type) {
      case "page.opened":
        clearTimeout(this.#timer);
        this.#pauseOfRefused = FIRST_PAUSE_OF_REFUSED_MS;
        this.#note.hidden = true;
        return;
      case "ready":
        this.#isReady = true;
        this.#fire("ready", null);
        this.#showWanted();
        return;
      case "session.ended":
        this.#renew({ reason: "renew", chat: null });
        return;
      case "chat.missing":
        this.#askForWanted();
        return;
      case "chat.opened":
        this.#wanted = null;
        this.#remember(chat);
        this.#fire("chatopened", chat);
        return;
      case "chat.closed":
        this.#remember(null);
        this.#fire("chatclosed", null);
        return;
      case "unread.changed":
        this.#fire("unread", { count: Number(data["count"]) });
        return;
      case "height.changed":
        this.#fire("height", { height: Number(data["height"]) });
        return;
      case "message.sent":
      case "message.received": {
        const event = data.type === "message.sent" ? "messagesent" : "messagereceived";
        this.#fire(event, { messageId: String(data["messageId"]), chat });
        return;
      }
      case "deal.open": {
        const uri = typeof data["uri"] === "string" ? data["uri"] : null;
        this.#fire("dealopen", { dealId: String(data["dealId"]), uri, chat });
        return;
      }
      case "deal.requested":
        this.#fire("dealrequested", chat);
    }
  };

  #showWanted(): void {
    if (this.#isReady && this.#wanted !== null) this.#tell("trunkline.chat", { chat: this.#wanted });
  }

  #askForWanted(): void {
    if (this.#wanted === null || this.#isWantedByLink) return;
    this.#isWantedByLink = true;
    this.#renew({ reason: "chat", chat: this.#wanted });
  }

  #tell(type: string, data: object): void {
    if (this.#origin !== null) this.#frame.contentWindow?.postMessage({ type, ...data }, this.#origin);
  }

  #fire<Type extends keyof TrunklineChatEvents>(type: Type, detail: TrunklineChatEvents[Type]): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** Each element of a page by its id. */
  get #key(): string {
    return `trunkline-chat ${this.id}`;
  }

  #remember(chat: ChatName | null): void {
    try {
      if (chat === null) sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, JSON.stringify(chat));
    } catch {
      // Without storage the list is shown after a reload.
    }
  }

  #remembered(): ChatName | null {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(this.#key) ?? "null");
      return isRecord(stored) ? nameOf(stored) : null;
    } catch {
      return null;
    }
  }
}

type Told = Readonly<Record<string, unknown>> & { readonly type: string };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isToldByPage(data: unknown): data is Told {
  return isRecord(data) && data["source"] === "trunkline" && typeof data["type"] === "string";
}

function nameOf({ channelId, chatType, chatId }: Readonly<Record<string, unknown>>): ChatName {
  return { channelId: String(channelId), chatType: String(chatType), chatId: String(chatId) };
}

declare global {
  interface HTMLElementTagNameMap {
    "trunkline-chat": TrunklineChat;
  }
}

if (customElements.get("trunkline-chat") === undefined)
  customElements.define("trunkline-chat", TrunklineChat);
