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
import { listenBounded } from "../bounded-server.ts";
import type { LiveCore } from "../compose/live-core.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { PlanDesk } from "../operations/plans/plan-desk.ts";
import { isRedriverError, type ErrorCode } from "../ports/errors.ts";
import type { PlanId, SourceId } from "../ports/ids.ts";
import { readConsoleKey } from "../compose/console-key.ts";
import { addSecurityHeaders, refuseOtherHosts, refuseOtherPages } from "./access/front-door.ts";
import { createGuesses } from "./access/guesses.ts";
import { createIdentify, toSession, type Identity } from "./access/identify.ts";
import { whyNot, type Person } from "./access/person.ts";
import { seal, sign, unseal } from "./access/signed.ts";
import { findToken, isSame, type TokenRow } from "./access/token-file.ts";
import { answerApi } from "./api/answer.ts";
import { toOpenApi } from "./api/open-api.ts";
import { apiPath, isApiPath, toApiAnswer } from "./api/refusal.ts";
import { routes } from "./api/routes.ts";
import { acts } from "./acts/acts.ts";
import { toFileName } from "./acts/plans.ts";
import { readForm } from "./acts/read-form.ts";
import type { Asked, AskedEnv } from "./asked.ts";
import { answerAsset } from "./assets-answer.ts";
import { readAssets } from "./assets.ts";
import { cookieOf, saidCookie, sessionCookie, setCookie } from "./cookies.ts";
import type { ReportError } from "./error-events.ts";
import { Document, Sections, type Frame } from "./layout.tsx";
import { createLiveStreams, type RenderedSection } from "./live/streams.ts";
import { createReads, shared } from "./live/reads.ts";
import { matchPath, toLocalPath } from "./paths.ts";
import type { Html, Screen, ScreenContext } from "./screen.ts";
import { screens } from "./screens/screens.ts";
import { SignIn } from "./parts/sign-in.tsx";

export interface ConsoleParts {
  readonly settings: Settings["console"];
  readonly live: LiveCore;
  readonly plans: PlanDesk;
  readonly nextRuns: () => Promise<ReadonlyMap<string, number>>;
  /** Asks the daemons to look at the lanes of a source now. */
  readonly requestSweep: (source: SourceId) => Promise<void>;
  readonly tokens: () => readonly TokenRow[];
  readonly reportError: ReportError;
  readonly version: string;
  readonly replica: string;
  /** Unix ms. */
  readonly now: () => number;
  /** Aborts when the process is to stop. */
  readonly stop: AbortSignal;
}

/** If Redis loses it, replicas agree on another one within this. */
const keyMaxAgeMs = 5_000;
const requestTimeoutMs = 15_000;
const maxHeaderBytes = 16_384;
const maxConnections = 256;
const maxStreams = 128;
/** Open streams end at once; a page in hand may end within this. */
const closeWithinMs = 1_000;

const maxSaidCharacters = 600;
const streamHeaders = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
const tooManyGuesses = "Too many wrong tokens came from your address. Try again in a minute.";

/** Fails with `settings-invalid` if the address cannot be bound. */
export async function serveConsole(parts: ConsoleParts) {
  const { settings, live, plans, reportError, now, stop } = parts;
  const reads = createReads({ ...parts, current: () => live.current() });
  // While the file still is what this process has begun with.
  reads.rules();
  const streams = createLiveStreams({ maxStreams, cpuMs: readCpuMs });
  const assets = readAssets();
  const guesses = createGuesses(now);
  const identify = createIdentify({ ...parts, guesses });
  const proposedKey = randomBytes(32).toString("hex");
  const key = shared(now, () => readConsoleKey(live.current().redis, proposedKey), keyMaxAgeMs);

  const app = new Hono<AskedEnv>();
  app.use(addSecurityHeaders);
  app.use(async (context, next) => {
    await next();
    if (isApiPath(context.req.path)) context.res = toApiAnswer(context.res);
  });
  app.use(refuseOtherHosts(settings.hosts), refuseOtherPages);

  app.get("/assets/:name", (context) => answerAsset(context, assets.get(context.req.param("name"))));

  app.post("/sign-in", async (context) => {
    if (settings.auth !== "token") return problem(context, "there is no such page", 404);
    const address = addressOf(context);
    if (!guesses.mayTry(address)) return showSignIn(context, tooManyGuesses, 429);
    const values = await readForm(context.req.raw);
    const row = findToken(parts.tokens(), values?.["token"] ?? "");
    if (row === null) {
      guesses.wasWrong(address);
      return showSignIn(context, "That token is not known.", 401);
    }
    setCookie(context, sessionCookie, toSession(row, now()));
    return context.redirect("/", 303);
  });

  app.use(async (context, next) => {
    const header = (name: string) => context.req.header(name);
    const caller = { address: addressOf(context), header, session: cookieOf(context, sessionCookie) };
    const identity = identify(caller);
    if (identity.kind !== "known") return turnAway(context, identity);
    context.set("person", identity.person);
    context.set("isByToken", identity.isByToken);
    context.set("isStillKnown", () => isSamePerson(identify(caller), identity.person));
    context.set("key", await key.read());
    return next();
  });

  for (const screen of screens) app.get(screen.path, guard(screen), (context) => showScreen(context, screen));
  app.get("/plans/:id/file", async (context) => {
    const id = context.req.param("id") as PlanId;
    return context.body(Readable.toWeb(Readable.from(await plans.file(id))) as ReadableStream, 200, {
      "content-type": "application/x-ndjson",
      "content-disposition": `attachment; filename="${toFileName(id)}"`,
    });
  });
  for (const route of routes) {
    app.on(route.method.toUpperCase(), `${apiPath}${route.path}`, (context) => {
      const caller = toScreenContext(context, context.req.url, context.req.param());
      return answerApi(route, context.req.raw, caller);
    });
  }
  app.get(`${apiPath}/openapi.json`, (context) => context.json(toOpenApi(parts.version)));
  app.get("/live", (context) => stream(context));
  for (const act of acts) {
    app.post(`/acts/${act.name}`, guard(act), async (context) => {
      const values = await readForm(context.req.raw);
      if (values === null) return problem(context, "expected a form of at most 16 KiB", 413);
      const person = context.get("person");
      if (!isSame(toFormToken(context), values["formToken"] ?? "")) {
        return problem(context, "this form is old; go back, load the page again, and send it once more", 403);
      }
      const by = person.name ?? values["by"];
      if (by === undefined || by.length > 100) return problem(context, "your name is missing", 400);
      if (act.asksReason && values["reason"] === undefined)
        return problem(context, "the reason is missing", 400);
      const doing = {
        core: live.current(),
        reads,
        plans,
        now: now(),
        signal: stop,
        by: `${by} (console)`,
        requestSweep: parts.requestSweep,
      };
      // An act that failed may have been done in part.
      const done = await act.run(values, doing).finally(reads.forget);
      if ("content" in done) return show(context, act, done.title, done.content, 200);
      const { said, next } = done;
      setCookie(context, saidCookie, seal(context.get("key"), "said", said.slice(0, maxSaidCharacters)), 60);
      return context.redirect(next ?? toLocalPath(values["back"]), 303);
    });
  }
  app.notFound((context) => problem(context, "there is no such page", 404));
  app.onError((error, context) => {
    reportError(placeOf(context), error);
    const isAct = context.req.method !== "GET" && context.req.method !== "HEAD";
    const isMisused = isRedriverError(error) && error.code === "command-misused";
    const outcome = isAct && !isMisused ? "in doubt" : "nothing";
    if (!isRedriverError(error))
      return problem(context, "this page failed; the daemon's log says where", 500, outcome);
    return problem(context, `${error.code}: ${error.message}`, statusOf[error.code] ?? 500, outcome);
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
  return {
    address: server.address,
    port: server.port,
    /** Another document is in force: its text is read while the file still has it. */
    adopted: () => void reads.rules(),
    async close(): Promise<void> {
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
    const asked = toScreenContext(context, context.req.url, context.req.param());
    const model = await screen.load(asked);
    if (model === null) return problem(context, "there is no such thing, or not any more", 404);
    const livePath = screen.sections.some(({ isLive }) => isLive)
      ? `/live?screen=${encodeURIComponent(asked.url)}`
      : null;
    const sections = <Sections screen={screen} model={model} context={asked} />;
    return show(context, screen, screen.title(model), sections, 200, livePath);
  }

  function stream(context: Asked): Response | Promise<Response> {
    const path = context.req.query("screen") ?? "";
    if (!path.startsWith("/") || !URL.canParse(path, "http://console")) return context.notFound();
    const url = new URL(path, "http://console");
    const found = screens.flatMap((screen) => {
      const params = matchPath(screen.path, url.pathname);
      return params === null ? [] : [{ screen, params }];
    })[0];
    const person = context.get("person");
    if (found === undefined || whyNot(person, found.screen.role) !== null) return context.notFound();
    const { screen, params } = found;
    const render = async (): Promise<readonly RenderedSection[]> => {
      const asked = toScreenContext(context, url.href, params);
      const model = await screen.load(asked);
      if (model === null) return [];
      const sections = screen.sections.filter(({ isLive }) => isLive);
      return Promise.all(
        sections.map(async ({ id, render: draw }) => ({ id, html: await toHtml(draw(model, asked)) })),
      );
    };
    // Nobody would read it, nor close it.
    if (context.req.method === "HEAD") return context.body(null, 200, streamHeaders);
    const body = streams.open(JSON.stringify([url.pathname, url.search, person]), {
      render,
      isStillKnown: context.get("isStillKnown"),
      failed: (error) => reportError(`live ${screen.path}`, error),
    });
    if (body === null) return context.text("too many pages are open\n", 503, { "retry-after": "30" });
    return context.body(body, 200, streamHeaders);
  }

  function toScreenContext(context: Asked, url: string, params: Record<string, string>): ScreenContext {
    const { pathname, search, searchParams } = new URL(url);
    return {
      core: live.current(),
      reads,
      plans,
      person: context.get("person"),
      now: now(),
      query: searchParams,
      params,
      url: `${pathname}${search}`,
      formToken: toFormToken(context),
      signal: stop,
    };
  }

  async function show(
    context: Asked,
    screen: Pick<Screen, "area" | "hasChart"> | null,
    title: string,
    content: Html,
    status: 200 | 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503,
    livePath: string | null = null,
  ): Promise<Response> {
    const sealed = cookieOf(context, saidCookie);
    const signingKey = context.get("key") as string | undefined;
    const said = sealed === undefined || signingKey === undefined ? null : unseal(signingKey, "said", sealed);
    if (sealed !== undefined) setCookie(context, saidCookie, "", 0);
    const frame: Frame = {
      badge: settings.badge,
      badgeColor: settings.badgeColor,
      version: parts.version,
      replica: parts.replica,
      documentHash: live.current().document.hash,
      said,
    };
    const html = await toHtml(
      <Document
        frame={frame}
        title={title}
        area={screen?.area ?? null}
        person={(context.get("person") as Person | undefined) ?? null}
        live={livePath}
        hasChart={screen?.hasChart === true}
      >
        {content}
      </Document>,
    );
    return context.html(`<!doctype html>${html}`, status);
  }

  function problem(
    context: Asked,
    why: string,
    status: 400 | 403 | 404 | 409 | 413 | 429 | 500 | 503,
    /** Of an act: whether it may have been done. */
    outcome: "nothing" | "in doubt" = "nothing",
  ): Response | Promise<Response> {
    const content = (
      <>
        <p class="problem">{why}</p>
        <p>
          {outcome === "nothing" ? "Nothing was done." : "It may have been done: look before you try again."}{" "}
          <a href="/">To the first page</a>
        </p>
      </>
    );
    return show(context, null, "That did not work", content, status);
  }

  function turnAway(
    context: Asked,
    identity: Exclude<Identity, { kind: "known" }>,
  ): Response | Promise<Response> {
    if (identity.kind === "limited") return problem(context, tooManyGuesses, 429);
    if (identity.kind === "refused") return problem(context, identity.why, 403);
    return showSignIn(context, null, 401);
  }

  function showSignIn(context: Asked, why: string | null, status: 401 | 429): Promise<Response> {
    return show(context, null, "Sign in", <SignIn why={why} />, status);
  }
}

function toFormToken(context: Asked): string {
  return sign(context.get("key"), "form", context.get("person").name ?? "");
}

const statusOf: Readonly<Partial<Record<ErrorCode, 400 | 404 | 409 | 503>>> = {
  "command-misused": 400,
  "plan-refused": 409,
  "redis-unavailable": 503,
};

async function toHtml(element: Html | null): Promise<string> {
  return element === null ? "" : String(await element);
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function addressOf(context: Asked): string {
  return context.env.incoming.socket.remoteAddress ?? "";
}

function isSamePerson(identity: Identity, { name, role }: Person): boolean {
  return identity.kind === "known" && identity.person.name === name && identity.person.role === role;
}

/** The pattern of the route that was taken. */
function placeOf(context: Asked): string {
  const path = routePath(context, -1);
  return `${context.req.method} ${path}`;
}
