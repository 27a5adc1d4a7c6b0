import { request } from "node:http";

export interface Asking {
  readonly method?: string;
  /** Host and Origin too: fetch lets nobody choose them. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A text is sent as it is, an object as a form. */
  readonly body?: string | Readonly<Record<string, string>>;
  /** The address that the request comes from. */
  readonly from?: string;
}

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** One request of the console on a connection of its own; nothing is followed or kept. */
export function askConsole(url: string, asking: Asking = {}): Promise<ConsoleAnswer> {
  const { method = "GET", headers = {}, body, from } = asking;
  const isForm = typeof body === "object";
  const text = isForm ? new URLSearchParams(body).toString() : body;
  const type = isForm ? { "content-type": "application/x-www-form-urlencoded" } : {};
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent: false,
        localAddress: from,
        headers: { ...type, ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}
