/** The user agent of the web client; the same for every session, so that none stands out. */
export const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

export function userAgent(appVersion: string): object {
  return {
    deviceType: "WEB",
    pushDeviceType: "WEBPUSH",
    locale: "ru",
    deviceLocale: "ru",
    osVersion: "Linux",
    deviceName: "Chrome",
    headerUserAgent: BROWSER,
    isPwa: false,
    appVersion,
    screen: "1080x1920 1.0x",
    timezone: "Europe/Moscow",
  };
}
