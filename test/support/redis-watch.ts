import { once } from "node:events";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Everything that any client sends to a Redis from now on, as MONITOR shows it: commands of scripts too,
 * logins left out.
 */
export async function watchRedis(url: string): Promise<{ readonly text: () => string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write("MONITOR\r\n");
  await once(socket, "data");
  return { text: () => Buffer.concat(chunks).toString("latin1") };
}
