/** The settings that direct a service to Meta's four hosts, which share the emulator's address. */
export function hostSettings(url: string) {
  return {
    INSTAGRAM_GRAPH_URL: `${url}/graph.instagram.com`,
    INSTAGRAM_PAGE_GRAPH_URL: url,
    INSTAGRAM_DIALOG_URL: `${url}/www.instagram.com`,
    INSTAGRAM_CODE_URL: `${url}/api.instagram.com`,
  };
}
