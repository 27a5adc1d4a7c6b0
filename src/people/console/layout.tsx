import { raw } from "hono/html";
import { pageStyle } from "./assets.ts";
import { areas, type Area, type Drawn, type Html, type Screen, type ScreenContext } from "./screen.ts";
import type { Person } from "./access/person.ts";
import { pause as pauseAct } from "../operations/acts/pause.ts";
import { resume as resumeAct } from "../operations/acts/resume.ts";
import type { PauseRecord } from "../../job/contracts/pauses.ts";
import { toTime } from "../operations/phrases.ts";
import { ActForm } from "./parts/act-form.tsx";
import { Fields } from "./parts/fields.tsx";
import { PauseWords } from "./parts/lane.tsx";
import { toQuery } from "./query.ts";
import { toAsOf } from "./parts/time.tsx";

export interface Frame {
  readonly badge: string | undefined;
  readonly badgeColor: string;
  readonly version: string;
  readonly replica: string;
  readonly documentHash: string;
  /** What was done a moment ago, or why it was not; null: nothing. */
  readonly said: { readonly text: string; readonly isRefused: boolean } | null;
  /** Null: it is no screen, so it has no clock and no brake. */
  readonly asked: ScreenContext | null;
  /** Of all drains of every source; null: there is none. */
  readonly pause: PauseRecord | null;
}

const keys: readonly (readonly [key: string, what: string])[] = [
  ...Object.values(areas).map(([title, key]) => [`g ${key}`, title] as const),
  ["b", "Pause all drains: opens its form"],
  ["/", "the first filter"],
  ["?", "these keys; Escape closes them"],
];

const brake = { title: "Pause all drains", look: "brake" } as const;
const letGo = { title: "Resume all drains", look: "brake" } as const;

interface DocumentProps {
  readonly frame: Frame;
  readonly title: string;
  readonly area: Area | null;
  readonly person: Person | null;
  /** Path of the page's live sections; null: it has none. */
  readonly live: string | null;
  /** Null: the page begins with what it is about, and has its title for who does not see it. */
  readonly heading: Html | null;
  readonly children?: unknown;
}

export function Document({ frame, title, area, person, live, heading, children }: DocumentProps): Html {
  const name = frame.badge === undefined ? title : `${title} · ${frame.badge}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${name} · redriver`}</title>
        <link rel="icon" href="/assets/icon.svg" />
        <style>{raw(pageStyle)}</style>
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
            {Object.entries(areas).map(([one, [words, key]]) => (
              <a
                href={one === "now" ? "/" : `/${one}`}
                data-key={key}
                aria-current={one === area ? "page" : undefined}
              >
                {words}
              </a>
            ))}
          </nav>
          {frame.asked === null ? null : (
            <>
              <p class="clock">
                <span id="as-of" data-live="">
                  {toAsOf(frame.asked.now)}
                </span>
                <span id="live-state" role="status"></span>
              </p>
              {frame.pause === null ? (
                <ActForm act={pauseAct} {...brake} values={{ all: "yes" }} context={frame.asked} />
              ) : (
                <ActForm act={resumeAct} {...letGo} values={{ all: "yes" }} context={frame.asked} />
              )}
            </>
          )}
        </header>
        <main id="main" tabindex={-1}>
          <h1 class={heading === null ? "unseen" : undefined}>{heading ?? title}</h1>
          {frame.said === null ? null : (
            <p
              class={frame.said.isRefused ? "problem" : "said"}
              role={frame.said.isRefused ? "alert" : "status"}
            >
              {frame.asked && `${toTime(frame.asked.now).slice(11)}: `}
              {frame.said.text}
            </p>
          )}
          {frame.pause === null || area === "now" ? null : (
            <p class="said waits">
              All drains are <PauseWords pause={frame.pause} />
            </p>
          )}
          {children}
        </main>
        <dialog id="keys" aria-label="Keys">
          <Fields of={keys.map(([key, what]) => [<kbd>{key}</kbd>, what])} />
        </dialog>
        <footer>
          <p>
            {person === null ? null : toPersonWords(person)}
            {person !== null && frame.asked !== null && frame.asked.hasSignIn ? (
              <>
                <a href={`/sign-in${toQuery({ back: frame.asked.url })}`}>sign in as somebody else</a>
                {" · "}
              </>
            ) : null}
            replica {frame.replica} · document {frame.documentHash} · {frame.version}
            <span id="keys-hint" hidden>
              {" · "}press <kbd>?</kbd> for keys
            </span>
          </p>
          <p>Times are in UTC.</p>
        </footer>
      </body>
    </html>
  );
}

/** Forms that a role may not send are not drawn, so somebody who looks for one is told here. */
function toPersonWords({ name, role }: Person): string {
  const words = `${name ?? "You"} (${role}) · `;
  return role === "viewer" ? `${words}acts need the role operator · ` : words;
}

export function Sections({ screen, model, context }: Drawn<{ screen: Screen; model: unknown }>): Html {
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
