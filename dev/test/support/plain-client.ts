import { randomBytes } from "node:crypto";
import { afterAll, expect } from "vitest";
import type { Kept } from "./conformance-receiver.ts";
import { startServiceUnderTest, waitMs, type ServiceUnderTest } from "./service-under-test.ts";

export interface PlainAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Undefined when the answer is no JSON. */
  readonly body: unknown;
}

/** A listed record, as it came. */
export type Listed = Readonly<Record<string, unknown>> & {
  readonly dlqId: string;
  readonly messageId: string;
};

export interface Page {
  readonly messages: readonly Listed[];
  readonly cursor: string | undefined;
}

export interface Item {
  readonly destination?: string;
  readonly queue?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Query = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

/** Speaks HTTP to the service under test. */
export class PlainClient {
  readonly service: ServiceUnderTest;
  /** Unlike any other run's; labels, names and ids begin with it. */
  readonly run = `conf-${Date.now().toString(36)}-${randomBytes(4).toString("hex")}`;
  #names = 0;

  constructor(service: ServiceUnderTest) {
    this.service = service;
  }

  /** A name that was never used before. */
  fresh(what: string): string {
    this.#names += 1;
    return `${this.run}-${what}-${this.#names}`;
  }

  label(what = "label"): string {
    return this.fresh(what);
  }

  at(path: string): string {
    return this.service.receiverUrl + path;
  }

  /** `Upstash-Delay` for `Delay`. */
  header(name: string): string {
    return this.service.headerPrefix + name;
  }

  async call(method: string, path: string, options: RequestInit = {}): Promise<PlainAnswer> {
    const headers = options.headers ?? { Authorization: `Bearer ${this.service.token}` };
    return read(await fetch(this.service.url + path, { method, ...options, headers }));
  }

  list(query: Query = {}): Promise<PlainAnswer> {
    return this.call("GET", `/v2/dlq${search(query)}`);
  }

  delete(query: Query & ({ label: unknown } | { dlqIds: unknown } | { flowControlKey: unknown })) {
    return this.call("DELETE", `/v2/dlq${search(query)}`);
  }

  /** One page of a listing that must work; a cursor that is present and empty counts as absent. */
  async page(query: Query): Promise<Page> {
    const { status, body } = await this.list(query);
    if (status !== 200) throw new Error(`listing answered ${status} ${JSON.stringify(body)}`);
    const { messages, cursor } = body as { messages: Listed[]; cursor?: string };
    return { messages, cursor: cursor === "" ? undefined : cursor };
  }

  /** The records of every page. */
  async listed(query: Query): Promise<Listed[]> {
    const records: Listed[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.page({ ...query, cursor });
      records.push(...page.messages);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return records;
  }

  /** The dlqIds of every page, sorted. */
  async ids(query: Query): Promise<string[]> {
    return (await this.listed(query)).map(({ dlqId }) => dlqId).toSorted();
  }

  batch(items: unknown): Promise<PlainAnswer> {
    return this.call("POST", "/v2/batch", {
      headers: { Authorization: `Bearer ${this.service.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(items),
    });
  }

  /** Publishes what must be accepted. */
  async published(items: readonly Item[]): Promise<unknown[]> {
    const { status, body } = await this.batch(items);
    if (status < 200 || status > 299) throw new Error(`batch answered ${status} ${JSON.stringify(body)}`);
    return body as unknown[];
  }

  /**
   * Makes dead letters: each item goes once to a receiver that fails it. Answers the records in the order of
   * the items, one per endpoint where the item goes to a URL Group.
   */
  async dead(items: readonly Item[], label: string = this.label()): Promise<Listed[]> {
    const answers = await this.published(
      items.map((item) => ({
        destination: this.at("/status/500"),
        ...item,
        headers: {
          [this.header("Retries")]: "0",
          ...item.headers,
          [this.header("Label")]: [label, item.headers?.[this.header("Label")]].filter(Boolean).join(","),
        },
      })),
    );
    const messageIds = answers.flat().map((one) => (one as { messageId: string }).messageId);
    return await this.untilListed(label, messageIds);
  }

  /** The records of these messages, once all of them are in the dead letter queue. */
  async untilListed(label: string, messageIds: readonly string[]): Promise<Listed[]> {
    const found = new Map<string, Listed>();
    await this.eventually(`${messageIds.length} dead letters`, async () => {
      for (const record of await this.listed({ label })) found.set(record.messageId, record);
      return messageIds.every((id) => found.has(id)) ? true : undefined;
    });
    return messageIds.map((id) => found.get(id)!);
  }

  /** What the receiver has answered under that name, once there is as much. */
  async kept(name: string, atLeast: number): Promise<Kept[]> {
    return await this.eventually(`${atLeast} requests at the receiver`, async () => {
      const response = await fetch(this.at(`/kept/${name}`));
      const answered = ((await response.json()) as Kept[]).filter(({ answeredAt }) => answeredAt > 0);
      return answered.length >= atLeast ? answered : undefined;
    });
  }

  /** What arrives of these, which the receiver accepts. */
  async delivered(...items: readonly Item[]): Promise<Kept[]> {
    const name = this.fresh("delivered");
    await this.published(items.map((item) => ({ destination: this.at(`/keep/${name}/200`), ...item })));
    return await this.kept(name, items.length);
  }

  private async eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      if (Date.now() > deadline) throw new Error(`waited ${waitMs} ms in vain for ${what}`);
      await pause(10);
    }
  }

  /** A new URL Group of these endpoints. */
  async urlGroup(endpoints: readonly { readonly name?: string; readonly url: string }[]): Promise<string> {
    const name = this.fresh("group");
    const { status, body } = await this.call("POST", `/v2/topics/${name}/endpoints`, {
      headers: { Authorization: `Bearer ${this.service.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ endpoints }),
    });
    if (status > 299) throw new Error(`making a URL Group answered ${status} ${JSON.stringify(body)}`);
    return name;
  }

  /** The name of a queue that comes into being with its first message. */
  queue(): string {
    return this.fresh("queue");
  }
}

/** The client of a file, with a service that is closed with it. Call at the top of the file. */
export async function usePlainClient(): Promise<PlainClient> {
  const service = await startServiceUnderTest();
  afterAll(() => service[Symbol.asyncDispose]());
  return new PlainClient(service);
}

/** An answer that refuses a call of the message API. */
export const refusal = (status = 400) => ({ status, body: { error: expect.any(String) as unknown } });

/** The requests that came before the one before them was answered; 5 ms for clocks that round. */
export const overlaps = (kept: readonly Kept[]): Kept[] =>
  kept.filter(({ arrivedAt }, index) => index > 0 && arrivedAt < kept[index - 1]!.answeredAt - 5);

export async function read(response: Response): Promise<PlainAnswer> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text) as unknown;
  } catch {
    body = undefined;
  }
  return { status: response.status, contentType: response.headers.get("Content-Type") ?? "", body };
}

export function search(query: Query): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
