import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import { serve } from "./serve.ts";

/** How one call is answered. `raw`: these bytes in place of HTTP, then the end of the connection. */
export type HostileAnswer =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Buffer;
    }
  | { readonly kind: "raw"; readonly bytes: Buffer }
  | { readonly kind: "hang" }
  | { readonly kind: "reset" };

export type HostileOperation = "list" | "batch" | "delete";

/** One account of the service: what it holds, what it has done, and how it answers. */
export interface HostileAccount {
  /**
   * Records as JSON text, so that they can hold what no object can. By dlqId, or anything else for those
   * without one.
   */
  readonly records: Map<string, string>;
  /**
   * Deduplication ids whose message was really taken, in order; a second publish of one is not taken again.
   */
  readonly taken: string[];
  /** Items as they came. */
  readonly items: unknown[];
  readonly deleted: string[];
  /** Next answers in place of the friendly one; `takes`: whether a batch is really taken. */
  readonly hostile: {
    readonly operation: HostileOperation;
    readonly answer: HostileAnswer;
    readonly takes: boolean;
  }[];
  /** What always stands in a batch's answer for the record of this id, as JSON text. It is taken all the same. */
  readonly elements: Map<string, string>;
  /** Calls that were answered in a hostile way. */
  answeredHostile: number;
}

/** In a record's text: a byte that no UTF-8 has. */
export const brokenByte = "\ue0ff";

/** The dead letter that a deduplication id stands for. */
export const originOf = (deduplicationId: string): string =>
  /^redriver-(\d+-\d+)(?:-\d+)?$/.exec(deduplicationId)?.[1] ?? "nobody's";

/** A message service that keeps its books truly and answers as it is told to. Ended with the test. */
export async function startHostileService() {
  const accounts: HostileAccount[] = [];
  const server = createServer((request, response) => {
    const account = accounts[Number(/^\/(\d+)\//.exec(request.url ?? "")?.[1])];
    if (account === undefined) return void request.socket.destroy();
    answer(account, request, response).catch(() => request.socket.destroy());
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  return {
    /** A new account and the address of it. */
    open() {
      const account: HostileAccount = {
        records: new Map(),
        taken: [],
        items: [],
        deleted: [],
        hostile: [],
        elements: new Map(),
        answeredHostile: 0,
      };
      accounts.push(account);
      return { url: `${url}/${accounts.length - 1}`, account };
    },
  };
}

async function answer(
  account: HostileAccount,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const operation = request.method === "POST" ? "batch" : request.method === "DELETE" ? "delete" : "list";
  const at = account.hostile.findIndex((one) => one.operation === operation);
  const [hostile] = at < 0 ? [] : account.hostile.splice(at, 1);
  const friendly = act(account, operation, request, Buffer.concat(chunks).toString(), hostile?.takes ?? true);
  if (hostile !== undefined) account.answeredHostile += 1;
  send(hostile?.answer ?? { kind: "http", status: 200, body: friendly }, response, request.socket);
}

function act(
  account: HostileAccount,
  operation: HostileOperation,
  request: IncomingMessage,
  body: string,
  takes: boolean,
): string {
  switch (operation) {
    case "list":
      return `{"messages":[${[...account.records.values()].join(",")}]}`;
    case "delete": {
      const ids = new URL(request.url ?? "", "http://x").searchParams.getAll("dlqIds");
      const gone = ids.filter((id) => account.records.delete(id));
      account.deleted.push(...gone);
      return JSON.stringify({ deleted: gone.length });
    }
    case "batch": {
      const items = JSON.parse(body) as readonly { readonly headers: Readonly<Record<string, string>> }[];
      account.items.push(...items);
      const elements = items.map(({ headers }) => {
        const id = String(headers["Upstash-Deduplication-Id"]);
        const deduplicated = account.taken.includes(id);
        if (takes && !deduplicated) account.taken.push(id);
        const element = { messageId: `msg_${id}`, ...(deduplicated ? { deduplicated } : {}) };
        return account.elements.get(originOf(id)) ?? JSON.stringify(element);
      });
      return `[${elements.join(",")}]`;
    }
  }
}

function send(given: HostileAnswer, response: ServerResponse, socket: Socket): void {
  switch (given.kind) {
    case "http":
      response.writeHead(given.status, given.headers ?? {});
      response.end(typeof given.body === "string" ? withBrokenBytes(given.body) : given.body);
      return;
    case "raw":
      socket.end(given.bytes);
      return;
    case "hang":
      return;
    case "reset":
      socket.resetAndDestroy();
      return;
  }
}

function withBrokenBytes(text: string): Buffer {
  const [first = "", ...others] = text.split(brokenByte);
  return Buffer.concat([
    Buffer.from(first),
    ...others.flatMap((other) => [Buffer.from([0xff]), Buffer.from(other)]),
  ]);
}
