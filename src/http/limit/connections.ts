import { countDescriptors } from "../../platform/file/descriptors.ts";
import type { App } from "../app.ts";

/**
 * Leaves a quarter of the file descriptors to the database, messengers and files: anyone can open connections. Beyond
 * it new connections are closed, after those that wait for another request.
 */
export function limitConnections(app: App, descriptors = countDescriptors()?.limit): void {
  if (descriptors === undefined || !Number.isFinite(descriptors)) return;
  const { server } = app;
  server.maxConnections = Math.max(16, Math.floor((descriptors * 3) / 4));
  server.on("drop", () => server.closeIdleConnections());
}
