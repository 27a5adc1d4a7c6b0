import net from "node:net";
import tls from "node:tls";

/**
 * Asks a Redis one question over a connection of its own, in RESP 2: login and database from the URL, then
 * `words`. Resolves to the reply's first line (`+PONG`, `:0`). Rejects with an Error that names host and
 * port, never the password.
 */
export async function askRedis(url: string, words: readonly string[], timeoutMs: number): Promise<string> {
  const { hostname, port, protocol, username, password, pathname } = new URL(url);
  const commands: (readonly string[])[] = [];
  if (password !== "") {
    const login = username === "" ? [] : [decodeURIComponent(username)];
    commands.push(["AUTH", ...login, decodeURIComponent(password)]);
  }
  if (/^\/\d+$/.test(pathname)) commands.push(["SELECT", pathname.slice(1)]);
  commands.push(words);
  const target = { host: hostname, port: Number(port === "" ? 6379 : port) };
  const socket =
    protocol === "rediss:" ? tls.connect({ ...target, servername: hostname }) : net.connect(target);
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`Redis at ${target.host}:${target.port}: ${why}`));
      let text = "";
      socket.setTimeout(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
      socket.on("error", (error) => fail(error.message));
      socket.on("close", () => fail("closed the connection"));
      socket.on("data", (data) => {
        text += data.toString("utf8");
        const lines = text.split("\r\n").slice(0, -1);
        const refusal = lines.find((line) => line.startsWith("-"));
        if (refusal !== undefined) fail(refusal.slice(1));
        else if (lines.length >= commands.length) resolve(lines[commands.length - 1] ?? "");
      });
      socket.write(commands.map(encode).join(""));
    });
  } finally {
    socket.destroy();
  }
}

function encode(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join("")}`;
}
