import { Refusal } from "../refusal.ts";
import { newUuid } from "../ids.ts";
import { isEndpointUrl } from "./message-headers.ts";

export interface Endpoint {
  readonly name?: string | undefined;
  readonly url: string;
}

export interface UrlGroup {
  readonly name: string;
  readonly topicId: string;
  readonly endpoints: readonly Endpoint[];
}

export interface Queue {
  readonly name: string;
  readonly parallelism: number;
}

const isName = (name: string): boolean => /^[A-Za-z0-9._-]{1,200}$/.test(name);

/** The URL Groups and queues there are. A queue comes into being when something is enqueued on it. */
export class Directory {
  readonly #groups = new Map<string, UrlGroup>();
  readonly #queues = new Map<string, Queue>();
  readonly #onQueue: (queue: Queue) => void;

  constructor(onQueue: (queue: Queue) => void) {
    this.#onQueue = onQueue;
  }

  putUrlGroup(name: string, endpoints: readonly Endpoint[]): UrlGroup {
    if (!isName(name)) throw new Refusal(400, `invalid url group name: ${name}`);
    const bad = endpoints.find((endpoint) => !isEndpointUrl(endpoint.url));
    if (bad !== undefined) throw new Refusal(400, `invalid endpoint url: ${bad.url}`);
    const group = { name, topicId: this.#groups.get(name)?.topicId ?? newUuid(), endpoints: [...endpoints] };
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

  putQueue(name: string, parallelism: number): Queue {
    if (!isName(name)) throw new Refusal(400, `invalid queue name: ${name}`);
    if (!Number.isInteger(parallelism) || parallelism < 1) {
      throw new Refusal(400, `invalid parallelism: ${parallelism}`);
    }
    const queue = { name, parallelism };
    this.#queues.set(name, queue);
    this.#onQueue(queue);
    return queue;
  }

  removeQueue(name: string): boolean {
    return this.#queues.delete(name);
  }

  /** The queue of this name, made with parallelism 1 where there is none. */
  queue(name: string): Queue {
    return this.#queues.get(name) ?? this.putQueue(name, 1);
  }

  queues(): Queue[] {
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
