/** What every route answers with: a page in its frame, a problem, the sign-in form; and what a screen is given. */
import type { LiveCore } from "../../job/door.ts";
import type { SourceId } from "../../job/contracts/ids.ts";
import type { ReportError } from "./error-events.ts";
import { toSpelledOut } from "../../job/message/show-masked-values.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { PlanDesk } from "../operations/plans/plan-desk.ts";
import type { RefusalStatus } from "./api/refusal.ts";
import type { LiveTokens } from "./access/token-file.ts";
import type { Person } from "./access/person.ts";
import { sign, unseal } from "./access/signed.ts";
import type { Asked } from "./asked.ts";
import { cookieOf, rememberedName, saidCookie, setCookie } from "./cookies.ts";
import { Document, type Frame } from "./layout.tsx";
import { toLocalPath, toOwnPath, toPublicHtml } from "./paths.ts";
import type { Reads } from "./live/reads.ts";
import { toPauseOfAll } from "./parts/paused.tsx";
import type { Html, Screen, ScreenContext } from "./screen.ts";

export interface ConsoleParts {
  readonly settings: Settings["console"];
  readonly live: LiveCore;
  readonly plans: PlanDesk;
  readonly nextRuns: () => Promise<ReadonlyMap<string, number>>;
  /** Asks the daemons to look at the lanes of a source now. */
  readonly requestSweep: (source: SourceId) => Promise<void>;
  readonly tokens: LiveTokens;
  readonly reportError: ReportError;
  readonly version: string;
  readonly replica: string;
  /** Unix ms. */
  readonly now: () => number;
  /** Aborts when the process is to stop. */
  readonly stop: AbortSignal;
}

export type Pages = ReturnType<typeof createPages>;

export const noSuchThing = "there is no such thing, or not any more";

export function createPages(parts: ConsoleParts & { readonly reads: Reads }) {
  const { settings, live, plans, tokens, reads } = parts;
  return { toScreenContext, show, problem, showSignIn };

  function toScreenContext(context: Asked, url: string, params: Record<string, string>): ScreenContext {
    const { pathname, search, searchParams } = new URL(url);
    return {
      core: live.current(),
      reads,
      plans,
      person: context.get("person"),
      now: parts.now(),
      query: searchParams,
      params,
      url: `${toOwnPath(settings.basePath, pathname)}${search}`,
      // Not every section has a form, and they are drawn again and again.
      get rememberedName() {
        return rememberedName(context);
      },
      get formToken() {
        return toFormToken(context);
      },
      hasSignIn: settings.auth === "token",
      tokenProblem: tokens.problem(),
      signal: parts.stop,
    };
  }

  async function show(
    context: Asked,
    screen: Pick<Screen, "area"> | null,
    title: string,
    content: Html,
    status: 200 | RefusalStatus,
    livePath: string | null = null,
    heading: Html | null = <>{title}</>,
  ): Promise<Response> {
    if (cookieOf(context, saidCookie) !== undefined) setCookie(context, saidCookie, "", 0);
    const frame: Frame = {
      badge: settings.badge,
      badgeColor: settings.badgeColor,
      version: parts.version,
      replica: parts.replica,
      documentHash: live.current().document.hash,
      said: saidTo(context),
      // What an act shows has no address of its own: one comes back to the page from which it was asked for.
      asked: screen && toScreenContext(context, toAddress(context), {}),
      pause: screen && toPauseOfAll(await reads.pauses()),
    };
    const html = await toHtml(
      <Document
        frame={frame}
        title={title}
        area={screen?.area ?? null}
        person={(context.get("person") as Person | undefined) ?? null}
        live={livePath}
        heading={heading}
      >
        {content}
      </Document>,
      settings.basePath,
    );
    return context.html(`<!doctype html>${html}`, status);
  }

  function problem(
    context: Asked,
    why: string,
    status: RefusalStatus,
    /** Of an act: whether it may have been done. */
    outcome: "nothing" | "in doubt" = "nothing",
  ): Response | Promise<Response> {
    const back = toPageBefore(context);
    // It may name what an address or a form has.
    const content = (
      <>
        <p class="problem">{toSpelledOut(why)}</p>
        <p>
          {outcome === "nothing" ? "Nothing was done." : "It may have been done: look before you try again."}{" "}
          {back !== "/" && [<a href={back}>Back to the page before</a>, " · "]}
          <a href="/">To the first page</a>
        </p>
      </>
    );
    return show(context, null, "That did not work", content, status);
  }

  /** `back`: where to go on; absent: to the page that asks. */
  function showSignIn(
    context: Asked,
    why: string | null,
    status: 200 | 401 | 429,
    back?: string,
  ): Promise<Response> {
    if (status === 401) {
      context.header("www-authenticate", why === wrongToken ? 'Bearer error="invalid_token"' : "Bearer");
    }
    return show(context, null, "Sign in", <SignIn why={why} back={back} />, status);
  }
}

export const wrongToken = "That token is not known.";

/** The page of this console that a form was sent from; the first page if it is none. */
export function toPageBefore(context: Asked): string {
  const text = context.req.header("referer") ?? "";
  const referer = URL.canParse(text) ? new URL(text) : null;
  if (referer === null || referer.host !== context.req.header("host")) return "/";
  return toLocalPath(`${toOwnPath(context.get("base"), referer.pathname)}${referer.search}`);
}

function toAddress(context: Asked): string {
  const { method, url } = context.req;
  return method === "GET" ? url : new URL(toPageBefore(context), url).href;
}

export function isAfterAct(context: Asked): boolean {
  return saidTo(context) !== null;
}

/** What the last act of this browser did; null: it was shown, or there was none. */
function saidTo(context: Asked): Frame["said"] {
  const sealed = cookieOf(context, saidCookie);
  const key = context.get("key") as string | undefined;
  if (sealed === undefined || key === undefined) return null;
  const [done, refused] = [unseal(key, "said", sealed), unseal(key, "refused", sealed)];
  const text = done ?? refused;
  return text === null ? null : { text: toSpelledOut(text), isRefused: done === null };
}

export function toFormToken(context: Asked): string {
  return sign(context.get("key"), "form", context.get("person").name ?? "");
}

/** As a browser is sent it: `base` before every path of this console. */
export async function toHtml(element: Html | null, base: string): Promise<string> {
  return element === null ? "" : toPublicHtml(base, String(await element));
}

function SignIn({ why, back }: Readonly<{ why: string | null; back: string | undefined }>): Html {
  return (
    <form method="post" action="/sign-in">
      {back === undefined ? null : <input type="hidden" name="back" value={back} />}
      {why === null ? null : <p class="problem">{why}</p>}
      <p class="field">
        <label for="token">Token</label>
        <input id="token" name="token" type="password" required autocomplete="current-password" />
        <span class="hint">As it stands in the file of console.tokenFile.</span>
      </p>
      <button type="submit">Sign in</button>
    </form>
  );
}
