import { z } from "zod";
import { EmulatorRefusal } from "../refusal.ts";
import { newUuid } from "../ids.ts";
import { isEndpointUrl } from "./message-headers.ts";

export const endpointsSchema = z.object({
  endpoints: z.array(z.object({ name: z.string().min(1).optional(), url: z.string() })),
});

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
}

/** A queue as the service tells of it. */
export interface QueueState extends Queue {
  readonly createdAt: number;
  readonly updatedAt: number;
}

const isName = (name: string): boolean => /^[A-Za-z0-9._-]{1,200}$/.test(name);

/** The URL Groups and queues there are. A queue comes into being when something is enqueued on it. */
export class Directory {
  readonly #groups = new Map<string, UrlGroup>();
  readonly #queues = new Map<string, QueueState>();
  readonly #now: () => number;
  readonly #onQueue: (queue: QueueState) => void;

  constructor(now: () => number, onQueue: (queue: QueueState) => void) {
    this.#now = now;
    this.#onQueue = onQueue;
  }

  putUrlGroup(name: string, endpoints: readonly Endpoint[]): UrlGroup {
    if (!isName(name)) throw new EmulatorRefusal(400, `invalid url group name: ${name}`);
    const bad = endpoints.find((endpoint) => !isEndpointUrl(endpoint.url));
    if (bad !== undefined) throw new EmulatorRefusal(400, `invalid endpoint url: ${bad.url}`);
    const known = this.#groups.get(name);
    const updatedAt = this.#now();
    const group = {
      name,
      topicId: known?.topicId ?? newUuid(),
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

  /** Makes or changes a queue; what is not given stays as it is. */
  putQueue(name: string, parallelism?: number, paused?: boolean): Queue {
    if (!isName(name)) throw new EmulatorRefusal(400, `invalid queue name: ${name}`);
    const known = this.#queues.get(name);
    const wanted = parallelism ?? known?.parallelism ?? 1;
    if (!Number.isInteger(wanted) || wanted < 1)
      throw new EmulatorRefusal(400, `invalid parallelism: ${wanted}`);
    const updatedAt = this.#now();
    const state = {
      name,
      parallelism: wanted,
      paused: paused ?? known?.paused ?? false,
      createdAt: known?.createdAt ?? updatedAt,
      updatedAt,
    };
    this.#queues.set(name, state);
    this.#onQueue(state);
    return { name, parallelism: wanted, paused: state.paused };
  }

  /** What waits on the queue is still delivered, in order; a pause ends. */
  removeQueue(name: string): boolean {
    const known = this.#queues.get(name);
    if (known !== undefined) this.#onQueue({ ...known, parallelism: 1, paused: false });
    return this.#queues.delete(name);
  }

  /** The queue of this name, made with parallelism 1 where there is none. */
  queue(name: string): Queue {
    return this.#queues.get(name) ?? this.putQueue(name);
  }

  queues(): Queue[] {
    return this.queueStates().map(({ name, parallelism, paused }) => ({ name, parallelism, paused }));
  }

  queueState(name: string): QueueState | undefined {
    return this.#queues.get(name);
  }

  queueStates(): QueueState[] {
    return [...this.#queues.values()];
  }

  isQueueName(name: string): boolean {
    return isName(name);
  }

  clear(): void {
    this.#groups.clear();
    this.#queues.clear();
  }
}
