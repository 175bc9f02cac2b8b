export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  /** Whether a connection without TLS is refused, where STARTTLS is not offered. */
  readonly requireTls: boolean;
  readonly timeoutMs: number;
}

/** Hands a mail over to an SMTP server (`smtp:` or `smtps:`). Throws with the server's answer if it is not accepted. */
export async function sendMail(smtpUrl: string, { timeoutMs, requireTls, ...mail }: Mail): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const transport = createTransport({
    host: hostname,
    secure: protocol === "smtps:",
    requireTLS: requireTls,
    ...(port === "" ? {} : { port: Number(port) }),
    ...(username === ""
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A text never names a file or an address to load.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ ...mail, to: [...mail.to] });
  } finally {
    transport.close();
  }
}
