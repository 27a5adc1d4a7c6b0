/**
 * Live sections by server-sent events. Browsers that look at the same page as the same person share one
 * rendering; each gets a section only if its HTML has changed. All pages are rendered at the same moment, so that
 * they share what they read.
 */

export interface RenderedSection {
  readonly id: string;
  readonly html: string;
}

interface Wanted {
  /** Null: what the page is about is gone. */
  readonly render: () => Promise<readonly RenderedSection[] | null>;
  /** False: its session has ended, or its token is gone. */
  readonly isStillKnown: () => boolean;
  readonly failed: (error: unknown) => void;
}

interface Stream {
  readonly isStillKnown: () => boolean;
  /** By section, the HTML that this browser has. */
  readonly has: Map<string, string>;
  send(bytes: Uint8Array): void;
  end(): void;
}

interface Watched extends Pick<Wanted, "render" | "failed"> {
  readonly streams: Set<Stream>;
}

export interface LiveStreamsParts {
  readonly maxStreams: number;
  /** CPU that this process has used so far. */
  readonly cpuMs: () => number;
  /** Unix ms. */
  readonly now: () => number;
}

const everyMs = 2_000;
/** Pages that cost more than usual are rendered less often, down to this. */
const maxEveryMs = 30_000;
/**
 * Renderings may cost this share of a core. Sending, collecting garbage and compiling anew cost as much again
 * (measured), and all together stays below 1 %.
 */
const maxCoreShare = 0.004;
/** A proxy ends a stream in which nothing moves, mostly after a minute. */
const aliveEveryMs = 25_000;
/** A browser that reads nothing may be that far behind; then it has to connect anew. */
const maxWaitingChunks = 16;

export function createLiveStreams({ maxStreams, cpuMs, now }: LiveStreamsParts) {
  const watched = new Map<string, Watched>();
  let count = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  let isRendering = false;
  let dueAt = 0;
  let isWantedSoon = false;
  const use = (): Use => ({ cpuMs: cpuMs(), at: now() });
  /** When the last rendering ended, or the first was waited for. */
  let before = use();

  async function renderAll(): Promise<void> {
    timer = null;
    isRendering = true;
    isWantedSoon = false;
    const from = use();
    // What else this process does goes on meanwhile. A busy daemon's pages are not the later for it.
    const shareOfOthers = toShare(before, from);
    await Promise.all([...watched.values()].map(renderOne));
    before = use();
    const costMs = before.cpuMs - from.cpuMs - shareOfOthers * (before.at - from.at);
    isRendering = false;
    if (watched.size > 0) schedule(isWantedSoon ? everyMs : costMs / maxCoreShare);
  }

  async function renderOne({ render, streams, failed }: Watched): Promise<void> {
    let toBytes: (stream: Stream) => Uint8Array | null;
    try {
      const sections = await render();
      toBytes = sections === null ? toSame("gone") : createChanges(sections);
    } catch (error) {
      failed(error);
      // Redis is away, for example. The page says since when its numbers stand still.
      toBytes = toSame("stale");
    }
    for (const stream of streams) {
      if (!stream.isStillKnown()) {
        stream.end();
        continue;
      }
      const bytes = toBytes(stream);
      if (bytes !== null) stream.send(bytes);
    }
  }

  function schedule(waitMs: number): void {
    const ms = Math.min(maxEveryMs, Math.max(everyMs, waitMs));
    dueAt = now() + ms;
    timer = setTimeout(() => void renderAll(), ms);
  }

  return {
    /** Null: too many browsers look already, or the process stops. `key`: the same for the same page and person. */
    open(key: string, { render, isStillKnown, failed }: Wanted): ReadableStream<Uint8Array> | null {
      if (isClosed || count >= maxStreams) return null;
      count += 1;
      let close: () => void = nothing;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const write = (bytes: Uint8Array): void => {
              if ((controller.desiredSize ?? 0) <= 0) close();
              else controller.enqueue(bytes);
            };
            const stream: Stream = { isStillKnown, has: new Map(), send: write, end: () => close() };
            const alive = setInterval(() => write(encoder.encode(": alive\n\n")), aliveEveryMs);
            const one: Watched = watched.get(key) ?? { render, failed, streams: new Set() };
            watched.set(key, one);
            one.streams.add(stream);
            close = () => {
              close = nothing;
              count -= 1;
              clearInterval(alive);
              one.streams.delete(stream);
              if (one.streams.size === 0 && watched.get(key) === one) watched.delete(key);
              if (watched.size === 0 && timer !== null) {
                clearTimeout(timer);
                timer = null;
              }
              try {
                controller.close();
              } catch {
                // The browser has closed it.
              }
            };
            write(encoder.encode("retry: 3000\n\n"));
            if (timer === null && !isRendering) {
              before = use();
              schedule(everyMs);
            }
          },
          cancel: () => close(),
        },
        { highWaterMark: maxWaitingChunks },
      );
    },
    /** Somebody has done something: what open pages show is not to wait for long, whatever they cost. */
    soon(): void {
      isWantedSoon = true;
      if (timer === null || dueAt - now() <= everyMs) return;
      clearTimeout(timer);
      schedule(everyMs);
    },
    count: () => count,
    /** For good: the process stops. */
    closeAll(): void {
      isClosed = true;
      for (const { streams } of watched.values()) for (const stream of streams) stream.end();
    },
  };
}

interface Use {
  readonly cpuMs: number;
  readonly at: number;
}

function toShare(from: Use, to: Use): number {
  return Math.max(0, to.cpuMs - from.cpuMs) / Math.max(1, to.at - from.at);
}

function nothing(): void {}

const encoder = new TextEncoder();

function toEvent(name: string, data: string): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${data}\n\n`);
}

/** Tells each browser the same. What comes after is sent whole, so that it says that the page is live again. */
function toSame(name: "gone" | "stale"): (stream: Stream) => Uint8Array {
  const bytes = toEvent(name, "{}");
  return ({ has }) => {
    has.clear();
    return bytes;
  };
}

/** What a browser lacks of these, and has from then on; null: nothing. Those that lack the same share the bytes. */
function createChanges(sections: readonly RenderedSection[]): (stream: Stream) => Uint8Array | null {
  const known = new Map<string, Uint8Array>();
  return ({ has }) => {
    const changed = sections.filter(({ id, html }) => has.get(id) !== html);
    if (changed.length === 0) return null;
    for (const { id, html } of changed) has.set(id, html);
    const ids = changed.map(({ id }) => id);
    const bytes =
      known.get(ids.join()) ??
      toEvent("sections", JSON.stringify(Object.fromEntries(changed.map(({ id, html }) => [id, html]))));
    known.set(ids.join(), bytes);
    return bytes;
  };
}
