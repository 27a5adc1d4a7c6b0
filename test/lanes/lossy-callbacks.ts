/** What stands between the service and the callback address of a daemon: it loses some of what is called back. */
import { createHash } from "node:crypto";
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { serve } from "../support/serve.ts";

/** `lost`: the share that is answered 200 and goes nowhere, the same one whenever it is called again. */
export async function startLossyCallbacks(lost: number) {
  let address: string | null = null;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const draw = createHash("sha256").update(body).digest().readUInt32BE(0) / 2 ** 32;
    if (draw < lost) return void response.writeHead(200).end();
    const [host, port] = (address ?? "").split(":");
    const { method, url: path, headers } = request;
    const onward = send({ host, port, method, path, headers }, (got) => {
      response.writeHead(got.statusCode ?? 502);
      got.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    onward.end(body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const { url, close } = await serve(server);
  return {
    url,
    /** `host:port` of the daemon that is called. */
    leadTo: (next: string) => void (address = next),
    close,
  };
}
