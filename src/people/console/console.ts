/** The console beside a daemon's work: it never keeps a daemon from working. */
import { isRedriverError } from "../../job/contracts/errors.ts";
import type { Events } from "../../job/contracts/events.ts";
import { createLiveTokens, noTokens, type LiveTokens } from "./access/token-file.ts";
import { createErrorEvents } from "./error-events.ts";
import type { ConsoleParts } from "./pages.tsx";
import type { ServedConsole } from "./serve.tsx";

/** Throws `settings-invalid` if the token file cannot be used. */
export function createConsole(parts: Omit<ConsoleParts, "tokens" | "reportError">, events: Events) {
  const { settings, now, stop } = parts;
  const tokens = openTokens(parts, events);
  const reportError = createErrorEvents(events, now);
  let server: ServedConsole | null = null;
  let lastProblem: string | null = null;
  return {
    /** `host:port` as bound; null: it is off, or its port is taken. */
    address: () => server?.address ?? null,
    /**
     * Listens if it does not yet, and looks at the token file. A port that is taken is reported once, and tried
     * again by the next call.
     */
    async listen(): Promise<void> {
      tokens.rows();
      if (server !== null || settings.port === null || stop.aborted) return;
      // Its pages are a sixth of a start: a daemon without a console does not load them.
      const { serveConsole } = await import("./serve.tsx");
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
    adopted: () => server?.adopted(),
    async close(): Promise<void> {
      await server?.close();
    },
  };
}

function openTokens({ settings, now }: Pick<ConsoleParts, "settings" | "now">, events: Events): LiveTokens {
  const { auth, tokenFile: file } = settings;
  if (auth !== "token" || file === undefined) return noTokens;
  const onRejected = (why: string): void => events.emit({ type: "console:tokens-rejected", file, why });
  return createLiveTokens({ file, now, onRejected });
}
