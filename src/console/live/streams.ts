/**
 * Live sections by server-sent events. Browsers that look at the same page as the same person share one
 * rendering every two seconds; each gets a section only if its HTML has changed.
 */
import { createHash } from "node:crypto";

export interface RenderedSection {
  readonly id: string;
  readonly html: string;
}

/** What a browser looks at, and whether it still may. */
interface Wanted {
  readonly render: () => Promise<readonly RenderedSection[]>;
  /** False: its session has ended, or its token is gone. */
  readonly isStillKnown: () => boolean;
  readonly failed: (error: unknown) => void;
}

interface Stream {
  readonly isStillKnown: () => boolean;
  /** By section, a hash of what this browser has. */
  readonly has: Map<string, string>;
  send(text: string): void;
  end(): void;
}

interface Watched extends Pick<Wanted, "render" | "failed"> {
  readonly streams: Set<Stream>;
  timer: NodeJS.Timeout | null;
}

const everyMs = 2_000;
/** A proxy ends a stream in which nothing moves, mostly after a minute. */
const aliveEveryMs = 25_000;
/** A browser that reads nothing may be that far behind; then it has to connect anew. */
const maxWaitingChunks = 16;

export function createLiveStreams({ maxStreams }: { readonly maxStreams: number }) {
  const watched = new Map<string, Watched>();
  let count = 0;
  let isClosed = false;

  async function tick(key: string, one: Watched): Promise<void> {
    let text: ((stream: Stream) => string) | null = null;
    try {
      const sections = await one.render();
      const hashes = sections.map(({ id, html }) => ({ id, html, hash: toHash(html) }));
      text = (stream) => {
        const changed: Record<string, string> = {};
        for (const { id, html, hash } of hashes) {
          if (stream.has.get(id) === hash) continue;
          stream.has.set(id, hash);
          changed[id] = html;
        }
        return Object.keys(changed).length === 0 ? "" : toEvent("sections", JSON.stringify(changed));
      };
    } catch (error) {
      one.failed(error);
      // Redis is away, for example. The page says since when its numbers stand still.
      text = () => toEvent("stale", "{}");
    }
    for (const stream of one.streams) {
      if (!stream.isStillKnown()) {
        stream.end();
        continue;
      }
      const said = text(stream);
      if (said !== "") stream.send(said);
    }
    if (watched.get(key) === one) schedule(key, one);
  }

  function schedule(key: string, one: Watched): void {
    one.timer = setTimeout(() => void tick(key, one), everyMs);
  }

  return {
    /** Null: too many browsers look already, or the process stops. `key`: the same for the same page and person. */
    open(key: string, { render, isStillKnown, failed }: Wanted): ReadableStream<Uint8Array> | null {
      if (isClosed || count >= maxStreams) return null;
      count += 1;
      const encoder = new TextEncoder();
      let close: () => void = nothing;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const write = (text: string): void => {
              if ((controller.desiredSize ?? 0) <= 0) close();
              else controller.enqueue(encoder.encode(text));
            };
            const stream: Stream = {
              isStillKnown,
              has: new Map(),
              send: write,
              end: () => close(),
            };
            const alive = setInterval(() => write(": alive\n\n"), aliveEveryMs);
            const one: Watched = watched.get(key) ?? { render, failed, streams: new Set(), timer: null };
            watched.set(key, one);
            one.streams.add(stream);
            close = () => {
              close = nothing;
              count -= 1;
              clearInterval(alive);
              one.streams.delete(stream);
              if (one.streams.size === 0 && watched.get(key) === one) {
                watched.delete(key);
                if (one.timer !== null) clearTimeout(one.timer);
              }
              try {
                controller.close();
              } catch {
                // The browser has closed it.
              }
            };
            write("retry: 3000\n\n");
            if (one.streams.size === 1) schedule(key, one);
          },
          cancel: () => close(),
        },
        { highWaterMark: maxWaitingChunks },
      );
    },
    count: () => count,
    /** For good: the process stops. */
    closeAll(): void {
      isClosed = true;
      for (const { streams } of watched.values()) for (const stream of streams) stream.end();
    },
  };
}

function nothing(): void {}

function toEvent(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

function toHash(html: string): string {
  return createHash("sha1").update(html).digest("base64");
}
