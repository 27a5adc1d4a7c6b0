/**
 * What the official SDKs expect in development mode (`QSTASH_DEV=true`). They ask `GET /v2/keys` on loopback
 * with this token. If the answer has these keys, they use what listens there; otherwise they download a
 * server. Public constants of every installation, no secrets. Source: SDK source, `src/dev-server`.
 */
export const devMode = {
  /** Where `QSTASH_DEV_PORT` names no other. */
  port: 8_080,
  token: Buffer.from('{"UserID":"defaultUser","Password":"defaultPassword"}').toString("base64"),
  signingKeys: { current: "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r", next: "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs" },
} as const;

/** The port that an SDK with this environment asks. It ignores what is not a number above 0. */
export function devModePort(env: Readonly<Record<string, string | undefined>>): number {
  const port = Number.parseInt(env["QSTASH_DEV_PORT"] ?? "", 10);
  return port > 0 ? port : devMode.port;
}
