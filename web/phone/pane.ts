/** One open phone: its person, and the open chat; null shows the list of chats. */
export interface Pane {
  readonly person: string;
  readonly chat: string | null;
}
