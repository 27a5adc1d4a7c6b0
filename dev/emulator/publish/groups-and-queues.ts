import { randomUUID } from "node:crypto";
import { z } from "zod";
import { EmulatorRefusal } from "../refusal.ts";
import { isEndpointUrl } from "./message-headers.ts";

export const endpointsSchema = z.object({
  endpoints: z.array(z.object({ name: z.string().min(1).optional(), url: z.string() })),
});

export const queueSettings = {
  parallelism: z.number().int().min(1).optional(),
  paused: z.boolean().optional(),
};

export type Endpoint = Readonly<z.infer<typeof endpointsSchema>["endpoints"][number]>;

export interface UrlGroup {
  readonly name: string;
  readonly topicId: string;
  readonly endpoints: readonly Endpoint[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Queue {
  readonly name: string;
  readonly parallelism: number;
  readonly paused: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const isDirectoryName = (name: string): boolean => /^[A-Za-z0-9._-]{1,200}$/.test(name);

/** The URL Groups and queues there are. A queue comes into being when something is enqueued on it. */
export class Directory {
  readonly #groups = new Map<string, UrlGroup>();
  readonly #queues = new Map<string, Queue>();
  readonly #now: () => number;
  readonly #onQueue: (queue: Queue) => void;

  constructor(now: () => number, onQueue: (queue: Queue) => void) {
    this.#now = now;
    this.#onQueue = onQueue;
  }

  putUrlGroup(name: string, endpoints: readonly Endpoint[]): UrlGroup {
    if (!isDirectoryName(name)) throw new EmulatorRefusal(400, `invalid url group name: ${name}`);
    const bad = endpoints.find((endpoint) => !isEndpointUrl(endpoint.url));
    if (bad !== undefined) throw new EmulatorRefusal(400, `invalid endpoint url: ${bad.url}`);
    const known = this.#groups.get(name);
    const updatedAt = this.#now();
    const group = {
      name,
      topicId: known?.topicId ?? randomUUID(),
      endpoints: [...endpoints],
      createdAt: known?.createdAt ?? updatedAt,
      updatedAt,
    };
    this.#groups.set(name, group);
    return group;
  }

  removeUrlGroup(name: string): boolean {
    return this.#groups.delete(name);
  }

  urlGroup(name: string): UrlGroup | undefined {
    return this.#groups.get(name);
  }

  urlGroups(): UrlGroup[] {
    return [...this.#groups.values()];
  }

  putQueue(name: string, parallelism?: number, paused?: boolean): Queue {
    if (!isDirectoryName(name)) throw new EmulatorRefusal(400, `invalid queue name: ${name}`);
    const known = this.#queues.get(name);
    const updatedAt = this.#now();
    const queue = {
      name,
      parallelism: parallelism ?? known?.parallelism ?? 1,
      paused: paused ?? known?.paused ?? false,
      createdAt: known?.createdAt ?? updatedAt,
      updatedAt,
    };
    this.#queues.set(name, queue);
    this.#onQueue(queue);
    return queue;
  }

  /** What waits on the queue is still delivered, in order; a pause ends. */
  removeQueue(name: string): boolean {
    const known = this.#queues.get(name);
    if (known !== undefined) this.#onQueue({ ...known, parallelism: 1, paused: false });
    return this.#queues.delete(name);
  }

  /** Makes the queue with parallelism 1 if there is none. */
  ensureQueue(name: string): void {
    if (!this.#queues.has(name)) this.putQueue(name);
  }

  queues(): Queue[] {
    return [...this.#queues.values()];
  }
}
