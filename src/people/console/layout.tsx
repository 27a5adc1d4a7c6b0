import { raw } from "hono/html";
import { chartStyle, pageStyle } from "./styles.ts";
import { areas, type Area, type Html, type Screen, type ScreenContext } from "./screen.ts";
import type { Person } from "./access/person.ts";

export interface Frame {
  readonly badge: string | undefined;
  readonly badgeColor: string;
  readonly version: string;
  readonly replica: string;
  readonly documentHash: string;
  /** What was done a moment ago, or why it was not; null: nothing. */
  readonly said: { readonly text: string; readonly isRefused: boolean } | null;
}

const areaTitles: Readonly<Record<Area, string>> = {
  now: "Now",
  failures: "Failures",
  plans: "Plans",
  parked: "Parked",
  history: "History",
  rules: "Rules",
  indexes: "Indexes",
};

export function areaPath(area: Area): string {
  return area === "now" ? "/" : `/${area}`;
}

interface DocumentProps {
  readonly frame: Frame;
  readonly title: string;
  readonly area: Area | null;
  readonly person: Person | null;
  /** Path of the page's live sections; null: it has none. */
  readonly live: string | null;
  /** The page has a chart. */
  readonly hasChart?: boolean;
  readonly children?: unknown;
}

export function Document({
  frame,
  title,
  area,
  person,
  live,
  hasChart = false,
  children,
}: DocumentProps): Html {
  const name = frame.badge === undefined ? title : `${title} · ${frame.badge}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${name} · redriver`}</title>
        <link rel="icon" href="/assets/icon.svg" />
        {hasChart ? <style>{raw(chartStyle)}</style> : null}
        <style>{raw(pageStyle)}</style>
        {hasChart ? <script src="/assets/uplot.js" defer></script> : null}
        <script src="/assets/console.js" type="module"></script>
      </head>
      <body data-live={live ?? ""}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <strong>redriver</strong>
          {frame.badge === undefined ? null : <span class={`badge ${frame.badgeColor}`}>{frame.badge}</span>}
          <nav aria-label="Pages">
            {areas.map((one) => (
              <a href={areaPath(one)} aria-current={one === area ? "page" : undefined}>
                {areaTitles[one]}
              </a>
            ))}
          </nav>
        </header>
        <main id="main" tabindex={-1}>
          <h1>{title}</h1>
          {frame.said === null ? null : (
            <p
              class={frame.said.isRefused ? "problem" : "said"}
              role={frame.said.isRefused ? "alert" : "status"}
            >
              {frame.said.text}
            </p>
          )}
          {children}
        </main>
        <footer>
          <p>
            {person === null ? null : `${person.name ?? "You"} (${person.role}) · `}
            replica {frame.replica} · document {frame.documentHash} · {frame.version}
            <span id="live-state" role="status"></span>
          </p>
          <p id="zone">Times are in UTC.</p>
        </footer>
      </body>
    </html>
  );
}

/** The page's sections, each in an element of its id. */
export function Sections({
  screen,
  model,
  context,
}: {
  readonly screen: Screen;
  readonly model: unknown;
  readonly context: ScreenContext;
}): Html {
  return (
    <>
      {screen.sections.map(({ id, isLive, render }) => (
        <section id={id} data-live={isLive ? "" : undefined}>
          {render(model, context)}
        </section>
      ))}
    </>
  );
}
