import { AsyncLocalStorage } from "node:async_hooks";
import type { MessageService } from "../../src/job/contracts/service.ts";
import { methods, type PortName, type Ports } from "./effects.ts";
import type { Failpoints } from "./failpoints.ts";

type Call = (...args: unknown[]) => unknown;

/**
 * The same port with a failpoint before and after every effect. Throws for a method that nobody has said
 * anything about.
 */
export function wrapPort<Name extends PortName>(
  name: Name,
  port: Ports[Name],
  failpoints: Failpoints,
): Ports[Name] {
  const kinds = methods[name] as Readonly<Record<string, string>>;
  const wrapped: Record<string, unknown> = {};
  for (const key of keysOf(port)) {
    const value: unknown = Reflect.get(port, key);
    if (typeof value !== "function") {
      Object.defineProperty(wrapped, key, { enumerable: true, get: () => Reflect.get(port, key) as unknown });
      continue;
    }
    const kind = kinds[key];
    // A part may have more than its port promises, such as `close`; what nobody can call through the port
    // needs no failpoint.
    if (kind === undefined) continue;
    const call: Call = (...args) => (value as Call).apply(port, args);
    wrapped[key] = kind === "effect" ? around(`${name}.${key}`, call, failpoints) : call;
  }
  return wrapped as unknown as Ports[Name];
}

function around(place: string, call: Call, failpoints: Failpoints): Call {
  return async (...args) => {
    failpoints.pass(`${place}:before`);
    try {
      return await call(...args);
    } finally {
      // A failure may be one of the answer alone.
      failpoints.pass(`${place}:after`);
    }
  };
}

/** A service besides: all but the last byte of a publish sent, and an answer that is withheld. */
export function wrapService(service: MessageService, failpoints: Failpoints): MessageService {
  const halfWay: MessageService = {
    list: (query, signal) => service.list(query, signal),
    clockOffsetMs: () => service.clockOffsetMs(),
    async publish(items, lastByteAllowed, signal) {
      await failpoints.passInFlight("service.publish");
      // Asked from inside the HTTP client, which does not know whose job it is.
      const here = AsyncLocalStorage.snapshot();
      const allowed = (): boolean => {
        here(() => failpoints.pass("service.publish:last-byte"));
        return lastByteAllowed();
      };
      return service.publish(items, allowed, signal);
    },
    async remove(ids, signal) {
      await failpoints.passInFlight("service.remove");
      return service.remove(ids, signal);
    },
  };
  return wrapPort("service", halfWay, failpoints);
}

function keysOf(port: object): readonly string[] {
  const keys = new Set(Object.keys(port));
  for (
    let prototype: unknown = Object.getPrototypeOf(port);
    prototype !== null && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const key of Object.getOwnPropertyNames(prototype)) if (key !== "constructor") keys.add(key);
  }
  return [...keys];
}
