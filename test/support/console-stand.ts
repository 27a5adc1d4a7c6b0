import { onTestFinished } from "vitest";
import type { LiveCore } from "../../src/job/compose/live-core.ts";
import { randomIdentities, systemClock } from "../../src/system-world.ts";
import { createPlanDesk } from "../../src/people/operations/plans/plan-desk.ts";
import { noTokens } from "../../src/people/console/access/token-file.ts";
import { serveConsole } from "../../src/people/console/serve.tsx";
import { requestSweep } from "../../src/job/queue/command-queue.ts";
import { toBullmqConnection } from "../../src/job/redis/connect.ts";
import { auditOf } from "./audit-of.ts";
import { settingsOf } from "./loaded-document.ts";
import { createReadRig } from "./read-rig.ts";
import type { RigOptions } from "./rig.ts";

export type ConsoleStand = Awaited<ReturnType<typeof createConsoleStand>>;

/** The console of this process over a rig, as an operator sees it by HTTP. `console`: settings of its section. */
export async function createConsoleStand(
  options: RigOptions,
  console: Readonly<Record<string, unknown>> = { "console.role": "operator" },
) {
  const rig = await createReadRig(options);
  const { core } = rig;
  const { target, keyPrefix } = core.settings.redis;
  const connection = toBullmqConnection(target, "queue");
  onTestFinished(() => connection.disconnect());
  const settings = settingsOf({
    env: { REDRIVER_SERVICE_TOKEN: "t" },
    flags: { "console.port": 0, "console.badge": "staging", ...console },
  });
  let keptMs = 0;
  const stop = new AbortController();
  const plans = createPlanDesk({
    acquire: () => ({ core, superseded: () => new AbortController().signal, release: () => undefined }),
    book: core.plans,
    clock: systemClock,
    identities: randomIdentities,
    replica: "r-1",
    version: "0.0.0",
    stop: stop.signal,
  });
  onTestFinished(() => plans.close({ softMs: 0, hardMs: 5_000 }));
  const defects: unknown[] = [];
  const serve = async () => {
    const server = await serveConsole({
      plans,
      reportError: (...failed) => defects.push(failed),
      settings: settings.console,
      live: { current: () => core } as unknown as LiveCore,
      nextRuns: () => Promise.resolve(new Map()),
      requestSweep: (source) => requestSweep(connection, keyPrefix, source, Date.now()),
      tokens: noTokens,
      version: "0.0.0",
      replica: "r-1",
      now: () => Date.now() + rig.ahead.ms + keptMs,
      stop: stop.signal,
    });
    onTestFinished(() => server.close());
    return { port: server.port, url: `http://127.0.0.1:${server.port}` };
  };
  const { port, url } = await serve();

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${url}${path}`, { headers });
  const page = async (path: string): Promise<string> => (await get(path)).text();
  /** The kind that has this text in its row of Failures; empty: none. */
  const kindOf = async (text: string): Promise<string> => {
    const row = new RegExp(`/failures/([0-9a-f]{10})"(?:(?!</tr>).)*${text}`, "s");
    return row.exec(await page("/failures"))?.[1] ?? "";
  };
  const send = (
    act: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${url}/acts/${act}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: url, ...headers },
      body: new URLSearchParams(fields),
    });

  return {
    ...rig,
    url,
    port,
    /** What was reported as a defect of the console. */
    defects,
    /** The console of another replica. */
    serve,
    get,
    page,
    kindOf,
    send,
    /** The console has kept nothing from before it. */
    async pass() {
      const ended = await rig.pass();
      keptMs += 61_000;
      return ended;
    },
    /** As a person fills in a form of that page. */
    async act(path: string, act: string, fields: Readonly<Record<string, string>>): Promise<string> {
      const formToken = formTokenOf(await page(path));
      const response = await send(act, { formToken, by: "ann", back: path, ...fields });
      if (response.status !== 303) throw new Error(`${response.status}: ${await response.text()}`);
      const cookie = /redriver_said=([^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? "";
      return Buffer.from(cookie.split(".")[0] ?? "", "base64url").toString();
    },
    /** Newest last. */
    audit: () => auditOf(core),
  };
}

export function formTokenOf(html: string): string {
  return /name="formToken" value="([^"]+)"/.exec(html)?.[1] ?? "";
}

/** The command lines that a page shows, as they are copied. */
export function commandsOf(html: string): readonly string[] {
  return [...html.matchAll(/<p class="command"><code>(.*?)<\/code>/gs)].map(([, line = ""]) => toText(line));
}

/** What a browser reads in it. */
export function toText(html: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? "");
}
