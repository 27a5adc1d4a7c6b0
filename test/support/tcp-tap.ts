import { onTestFinished } from "vitest";
import { openTcpPath, type OnConnection } from "./tcp-path.ts";

/**
 * A TCP path to a server through a test's hands, closed with the test. Answers its address,
 * `127.0.0.1:<port>`.
 */
export async function createTcpTap({ hostname, port }: URL, onConnection: OnConnection): Promise<string> {
  const path = await openTcpPath({ host: hostname, port: Number(port) }, onConnection);
  onTestFinished(path.close);
  return `127.0.0.1:${path.port}`;
}
