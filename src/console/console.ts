/** The console beside a daemon's work: it never keeps a daemon from working. */
import { isRedriverError } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import { createLiveTokens } from "./access/live-tokens.ts";
import { createErrorEvents } from "./error-events.ts";
import { serveConsole, type ConsoleParts } from "./serve.tsx";

/** Throws `settings-invalid` if the token file cannot be used. */
export function createConsole(parts: Omit<ConsoleParts, "tokens" | "reportError">, events: Events) {
  const { settings, now, stop } = parts;
  const tokens = createLiveTokens(settings.auth === "token" ? settings.tokenFile : undefined, now);
  const reportError = createErrorEvents(events, now);
  let server: Awaited<ReturnType<typeof serveConsole>> | null = null;
  let lastProblem: string | null = null;
  return {
    /** `host:port` as bound; null: it is off, or its port is taken. */
    address: () => server?.address ?? null,
    /** Listens if it does not yet. A port that is taken is reported once, and tried again by the next call. */
    async listen(): Promise<void> {
      if (server !== null || settings.port === null || stop.aborted) return;
      try {
        server = await serveConsole({ ...parts, tokens, reportError });
        lastProblem = null;
        if (stop.aborted) await server.close();
      } catch (error) {
        if (!isRedriverError(error)) throw error;
        if (error.message !== lastProblem) events.emit({ type: "console:failed", message: error.message });
        lastProblem = error.message;
      }
    },
    /** Another document is in force. */
    adopted: () => server?.adopted(),
    async close(): Promise<void> {
      await server?.close();
    },
  };
}
