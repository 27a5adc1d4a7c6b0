/**
 * The console of one replica: pages, acts and the API over what Redis has. All replicas show the same, and a
 * form that one of them gave is taken by any other.
 *
 *   request ─► Host ─► own page? ─► who asks ─► role ─► page | act | API | live stream
 */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { Hono, type MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { getPath } from "hono/utils/url";
import { listenBounded } from "../../bounded-server.ts";
import { readConsoleKey } from "../../job/door.ts";
import { isRedriverError } from "../../job/contracts/errors.ts";
import type { PlanId } from "../../job/contracts/ids.ts";
import { addBasePath, addSecurityHeaders, refuseOtherHosts, refuseOtherPages } from "./access/front-door.ts";
import { whyNot } from "./access/person.ts";
import { addSignIn } from "./access/sign-in-routes.ts";
import { answerApi } from "./api/answer.ts";
import { toOpenApi } from "./api/open-api.ts";
import { apiPath, isApiPath, toApiAnswer, toRefusal } from "./api/refusal.ts";
import { routes } from "./api/operation-route.ts";
import { addActs } from "./acts/routes.ts";
import type { Asked, AskedEnv } from "./asked.ts";
import { readAssets, type Asset } from "./assets.ts";
import { Sections } from "./layout.tsx";
import { createReads, shared, type Reads } from "./live/reads.ts";
import { keepSamples } from "./live/keep-samples.ts";
import { addLive } from "./live/route.ts";
import { createLiveStreams } from "./live/streams.ts";
import { createPages, isAfterAct, noSuchThing, type ConsoleParts } from "./pages.tsx";
import { livePath, toOwnPath } from "./paths.ts";
import type { Screen } from "./screen.ts";
import { screens } from "./screens/screens.ts";

/** If Redis loses it, replicas agree on another one within this. */
const keyMaxAgeMs = 5_000;
const redisWaitMs = 1_000;
const requestTimeoutMs = 15_000;
const maxHeaderBytes = 16_384;
const maxConnections = 256;
const maxStreams = 128;
/** Open streams end at once; a page in hand may end within this. */
const closeWithinMs = 1_000;

export type ServedConsole = Awaited<ReturnType<typeof serveConsole>>;

/** Fails with `settings-invalid` if the address cannot be bound. */
export async function serveConsole(parts: ConsoleParts) {
  const { settings, live, plans, reportError } = parts;
  const streams = createLiveStreams({ maxStreams, cpuMs: readCpuMs, now: parts.now });
  const shownReads = createReads({ ...parts, current: () => live.current() });
  const reads: Reads = {
    ...shownReads,
    forget() {
      shownReads.forget();
      streams.soon();
    },
  };
  // While the file still is what this process has begun with.
  reads.rules();
  const pages = createPages({ ...parts, reads });
  const { problem, show, toScreenContext } = pages;
  const assets = readAssets();
  const proposedKey = randomBytes(32).toString("hex");
  const key = shared(parts.now, () => readConsoleKey(live.current(), proposedKey), keyMaxAgeMs);
  const waitForRedis = () => live.current().redis.ready(redisWaitMs);
  const redisReady = shared(parts.now, () => waitForRedis().catch(() => undefined), redisWaitMs);

  const app = new Hono<AskedEnv>({
    getPath: (request) => toOwnPath(settings.basePath, getPath(request)),
  });
  app.use(addBasePath(settings.basePath));
  app.use(addSecurityHeaders);
  app.use(async (context, next) => {
    await next();
    if (isApiPath(context.req.path)) context.res = toApiAnswer(context.res);
  });
  app.use(refuseOtherHosts(settings.hosts), refuseOtherPages(settings.proxies));

  app.get("/assets/:name", (context) => answerAsset(context, assets.get(context.req.param("name"))));

  // A page that is asked for as the daemon starts, or as Redis comes back, is late and not refused.
  app.use(async (_context, next) => {
    if (!live.current().redis.isReady()) await redisReady.read();
    await next();
  });

  addSignIn(app, { ...parts, pages, key: key.read });

  for (const screen of screens) app.get(screen.path, guard(screen), (context) => showScreen(context, screen));
  app.get("/plans/:id/file", async (context) => {
    const id = context.req.param("id") as PlanId;
    const file = await plans.file(id);
    if (file === null) return problem(context, noSuchThing, 404);
    return context.body(Readable.toWeb(Readable.from(file)) as ReadableStream, 200, {
      "content-type": "application/x-ndjson",
      "content-disposition": `attachment; filename="plan-${id}.ndjson"`,
    });
  });
  for (const route of routes) {
    app.on(route.method.toUpperCase(), `${apiPath}${route.path}`, (context) => {
      const { requestSweep } = parts;
      const caller = { ...toScreenContext(context, context.req.url, context.req.param()), requestSweep };
      const answer = answerApi(route, context.req.raw, caller, (error) =>
        reportError(`api ${route.path}`, error),
      );
      // An act that failed may have been done in part.
      return route.method === "post" ? answer.finally(reads.forget) : answer;
    });
  }
  app.get(`${apiPath}/openapi.json`, (context) => context.json(toOpenApi(parts.version, settings.basePath)));
  addLive(app, { streams, pages, reportError });
  addActs(app, { ...parts, reads, pages, guard });
  app.notFound((context) => problem(context, "there is no such page", 404));
  app.onError((error, context) => {
    reportError(`${context.req.method} ${routePath(context, -1)}`, error);
    const { status } = toRefusal(error);
    const isAct = context.req.method !== "GET" && context.req.method !== "HEAD";
    const outcome = isAct && status >= 500 ? "in doubt" : "nothing";
    const why = "this page failed; the daemon's log says where";
    return problem(
      context,
      isRedriverError(error) ? `${error.code}: ${error.message}` : why,
      status,
      outcome,
    );
  });

  const server = await listenBounded({
    host: settings.host,
    port: settings.port ?? 0,
    requestTimeoutMs,
    fetch: (request, env) => app.fetch(request, env as AskedEnv["Bindings"]),
    maxConnections,
    maxHeaderBytes,
    setting: "console",
    variable: "REDRIVER_CONSOLE_PORT",
  });
  const stopSamples = keepSamples({
    current: () => live.current(),
    readFacts: reads.facts,
    now: parts.now,
    failed: (error) => reportError("chart", error),
  });
  return {
    address: server.address,
    port: server.port,
    /** Another document is in force: its text is read while the file still has it. */
    adopted: () => void reads.rules(),
    async close(): Promise<void> {
      stopSamples();
      streams.closeAll();
      await server.close(closeWithinMs);
    },
  };

  function guard({ role }: Pick<Screen, "role">): MiddlewareHandler<AskedEnv> {
    return async (context, next) => {
      const why = whyNot(context.get("person"), role);
      return why === null ? next() : problem(context, `this ${why}`, 403);
    };
  }

  async function showScreen(context: Asked, screen: Screen): Promise<Response> {
    // Another replica may have done it, and this one's reads are from before.
    if (isAfterAct(context)) reads.forget();
    const asked = toScreenContext(context, context.req.url, context.req.param());
    const model = await screen.load(asked);
    if (model === null) return problem(context, noSuchThing, 404);
    const live = screen.sections.some(({ isLive }) => isLive) ? `${livePath}${asked.url}` : null;
    const sections = <Sections screen={screen} model={model} context={asked} />;
    const { title, heading } = screen;
    return show(context, screen, title(model), sections, 200, live, heading?.(model));
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function answerAsset(context: Asked, asset: Asset | undefined): Response | Promise<Response> {
  if (asset === undefined) return context.notFound();
  const { type, etag, bytes, gzipped } = asset;
  const headers = { "content-type": type, etag, "cache-control": "no-cache", vary: "accept-encoding" };
  if (context.req.header("if-none-match") === etag) return context.body(null, 304, headers);
  if (!/\bgzip\b/.test(context.req.header("accept-encoding") ?? "")) {
    return context.body(new Uint8Array(bytes), 200, headers);
  }
  return context.body(new Uint8Array(gzipped), 200, { ...headers, "content-encoding": "gzip" });
}
