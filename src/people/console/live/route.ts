/** `/live<path of a screen>`: its live sections, drawn again and again for who may see it. */
import type { Hono } from "hono";
import { whyNot } from "../access/person.ts";
import type { Asked, AskedEnv } from "../asked.ts";
import type { ReportError } from "../error-events.ts";
import { toHtml, type Pages } from "../pages.tsx";
import { toAsOf } from "../parts/time.tsx";
import { livePath } from "../paths.ts";
import type { Screen } from "../screen.ts";
import { screens } from "../screens/screens.ts";
import type { createLiveStreams, RenderedSection } from "./streams.ts";

interface LiveParts {
  readonly streams: ReturnType<typeof createLiveStreams>;
  readonly pages: Pages;
  readonly reportError: ReportError;
}

const streamHeaders = { "content-type": "text/event-stream", "x-accel-buffering": "no" };

export function addLive(app: Hono<AskedEnv>, { streams, pages, reportError }: LiveParts): void {
  for (const screen of screens) app.get(`${livePath}${screen.path}`, (context) => stream(context, screen));

  function stream(context: Asked, screen: Screen): Response | Promise<Response> {
    const url = new URL(context.req.url);
    url.pathname = context.req.path.slice(livePath.length);
    const person = context.get("person");
    if (whyNot(person, screen.role) !== null) return context.notFound();
    const render = async (): Promise<readonly RenderedSection[] | null> => {
      const asked = pages.toScreenContext(context, url.href, context.req.param());
      const model = await screen.load(asked);
      if (model === null) return null;
      const sections = screen.sections.filter(({ isLive }) => isLive);
      const drawn = await Promise.all(
        sections.map(async ({ id, render: draw }) => ({
          id,
          html: await toHtml(draw(model, asked), context.get("base")),
        })),
      );
      return [...drawn, { id: "as-of", html: toAsOf(asked.now) }];
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
}
