import { randomBytes } from "node:crypto";
import { afterAll, expect, type TestContext } from "vitest";
import type { Kept } from "./conformance-receiver.ts";
import {
  isElsewhere,
  startServiceUnderTest,
  testTimeoutMs,
  type ServiceUnderTest,
} from "./service-under-test.ts";

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

/** Speaks HTTP to the service under test, and keeps track of what must be removed afterwards. */
export class PlainClient {
  readonly service: ServiceUnderTest;
  /** Unlike any other run's; labels, names and ids begin with it. */
  readonly run = `conf-${Date.now().toString(36)}-${randomBytes(4).toString("hex")}`;
  readonly #labels = new Set<string>();
  readonly #resources: string[] = [];
  #names = 0;

  constructor(service: ServiceUnderTest) {
    this.service = service;
  }

  /** A name that was never used before. */
  fresh(what: string): string {
    this.#names += 1;
    return `${this.run}-${what}-${this.#names}`;
  }

  /** A label whose records are deleted at the end. */
  label(what = "label"): string {
    const label = this.fresh(what);
    this.#labels.add(label);
    return label;
  }

  at(path: string): string {
    return this.service.receiverUrl + path;
  }

  /** `Upstash-Delay` for `Delay`. */
  header(name: string): string {
    return this.service.headerPrefix + name;
  }

  async call(method: string, path: string, options: RequestInit = {}): Promise<PlainAnswer> {
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(this.service.url + path, {
        method,
        ...options,
        headers: options.headers ?? { Authorization: `Bearer ${this.service.token}` },
      });
      // Listing and deleting are limited per second on the production service.
      if (response.status === 429 && isElsewhere && attempt < 20) {
        await response.arrayBuffer();
        await pause(1000);
        continue;
      }
      return read(response);
    }
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
    const deadline = Date.now() + this.service.waitMs;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      if (Date.now() > deadline) throw new Error(`waited ${this.service.waitMs} ms in vain for ${what}`);
      await pause(isElsewhere ? 1000 : 10);
    }
  }

  /** A new URL Group of these endpoints. */
  async urlGroup(endpoints: readonly { readonly name?: string; readonly url: string }[]): Promise<string> {
    const name = this.fresh("group");
    this.#resources.push(`/v2/topics/${name}`);
    const { status, body } = await this.call("POST", `/v2/topics/${name}/endpoints`, {
      headers: { Authorization: `Bearer ${this.service.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ endpoints }),
    });
    if (status > 299) throw new Error(`making a URL Group answered ${status} ${JSON.stringify(body)}`);
    return name;
  }

  /** The name of a queue that comes into being with its first message. */
  queue(): string {
    const name = this.fresh("queue");
    this.#resources.push(`/v2/queues/${name}`);
    return name;
  }

  async cleanUp(): Promise<void> {
    for (const label of this.#labels) {
      const dlqIds = await this.ids({ label });
      for (let at = 0; at < dlqIds.length; at += 100) {
        await this.delete({ dlqIds: dlqIds.slice(at, at + 100) });
      }
    }
    for (const path of this.#resources) await this.call("DELETE", path);
  }
}

export async function startPlainClient(
  service?: ServiceUnderTest,
): Promise<{ client: PlainClient; stop: () => Promise<void> }> {
  const used = service ?? (await startServiceUnderTest());
  const client = new PlainClient(used);
  const stop = async (): Promise<void> => {
    try {
      await client.cleanUp();
    } finally {
      await used[Symbol.asyncDispose]();
    }
  };
  return { client, stop };
}

/** The client of a file, stopped with it. Call at the top of the file. */
export async function usePlainClient(): Promise<PlainClient> {
  const { client, stop } = await startPlainClient();
  afterAll(() => stop(), testTimeoutMs);
  return client;
}

/** An answer that refuses a call of the message API. */
export const refusal = (status = 400) => ({ status, body: { error: expect.any(String) as unknown } });

/** The requests that came before the one before them was answered; 5 ms for clocks that round. */
export const overlaps = (kept: readonly Kept[]): Kept[] =>
  kept.filter(({ arrivedAt }, index) => index > 0 && arrivedAt < kept[index - 1]!.answeredAt - 5);

/** Skips this test where others would overlook it. */
export function skipLoudly(context: TestContext, reason: string): never {
  process.stderr.write(`NOT CHECKED: ${context.task.name} (${reason})\n`);
  return context.skip(reason);
}

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
