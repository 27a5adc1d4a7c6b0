/**
 * `/acts/<name>`: a form of the console's own page does what it says, under the name of who sent it. Below it,
 * `/command` answers the command that would do the same, and does nothing.
 */
import type { Hono, MiddlewareHandler } from "hono";
import { expectedName, isName, type Operation } from "../../operations/define.ts";
import { operations } from "../../operations/operations.ts";
import { seal } from "../access/signed.ts";
import { isSame } from "../access/token-file.ts";
import type { AskedEnv } from "../asked.ts";
import { rememberName, saidCookie, setCookie } from "../cookies.ts";
import type { Reads } from "../live/reads.ts";
import { toFormToken, type ConsoleParts, type Pages } from "../pages.tsx";
import { toLocalPath } from "../paths.ts";
import { readForm } from "./read-form.ts";
import { messageScreen } from "../screens/message.tsx";
import { performForm, toActPath, toFormLine } from "./operation-act.ts";

interface ActsParts extends ConsoleParts {
  readonly reads: Reads;
  readonly pages: Pages;
  readonly guard: (act: Pick<Operation, "role">) => MiddlewareHandler<AskedEnv>;
}

const maxSaidCharacters = 600;
const noForm = "expected a form of at most 16 KiB";

export function addActs(app: Hono<AskedEnv>, parts: ActsParts): void {
  const { live, plans, reads, guard, now, stop } = parts;
  const { problem, show } = parts.pages;
  for (const act of operations) {
    const path = toActPath(act);
    app.post(`${path}/command`, guard(act), async (context) => {
      const values = await readForm(context.req.raw);
      return values === null ? context.text(noForm, 413) : context.text(toFormLine(act, values));
    });
    app.post(path, guard(act), async (context) => {
      const values = await readForm(context.req.raw);
      if (values === null) return problem(context, noForm, 413);
      const person = context.get("person");
      if (!isSame(toFormToken(context), values["formToken"] ?? "")) {
        return problem(context, "this form is old; go back, load the page again, and send it once more", 403);
      }
      const by = person.name ?? values["by"];
      if (by === undefined) return problem(context, "your name is missing", 400);
      if (!isName(by)) return problem(context, `your name: expected ${expectedName}`, 400);
      if (act.reasonOf !== null && values["reason"] === undefined)
        return problem(context, "the reason is missing", 400);
      const doing = {
        core: live.current(),
        plans,
        now: now(),
        signal: stop,
        by: `${by} (console)`,
        requestSweep: parts.requestSweep,
      };
      // An act that failed may have been done in part.
      const done = await performForm(act, values, doing).finally(reads.forget);
      if ("content" in done) {
        if (person.name === null) rememberName(context, by);
        return show(context, messageScreen, done.title, done.content, 200);
      }
      const { said, isRefused, next } = done;
      const kind = isRefused ? "refused" : "said";
      setCookie(context, saidCookie, seal(context.get("key"), kind, said.slice(0, maxSaidCharacters)), 60);
      if (person.name === null) rememberName(context, by);
      return context.redirect(next ?? toLocalPath(values["back"]), 303);
    });
  }
}
