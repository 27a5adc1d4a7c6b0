/** Who asks: the form that a token is given to, and the check that every route after it stands behind. */
import type { Hono } from "hono";
import { addressOf, type Asked, type AskedEnv } from "../asked.ts";
import { readForm } from "../acts/read-form.ts";
import { cookieOf, sessionCookie, setCookie } from "../cookies.ts";
import { toLocalPath } from "../paths.ts";
import { toPageBefore, wrongToken, type ConsoleParts, type Pages } from "../pages.tsx";
import { createGuesses } from "./guesses.ts";
import { createIdentify, toSession, type Identity } from "./identify.ts";
import { findToken } from "./token-file.ts";
import type { Person } from "./person.ts";

interface SignInParts extends Pick<ConsoleParts, "settings" | "tokens" | "now"> {
  readonly pages: Pages;
  readonly key: () => Promise<string>;
}

const tooManyGuesses = "Too many wrong tokens came from your address. Try again in a minute.";
const notDone =
  "You are signed out, so nothing was done. Sign in, go back to the form, and send it once more.";

/** Routes that are added later are for who is known. */
export function addSignIn(app: Hono<AskedEnv>, { settings, tokens, pages, key, now }: SignInParts): void {
  const { problem, showSignIn } = pages;
  const guesses = createGuesses(now);
  const identify = createIdentify({ settings, tokens: tokens.rows, guesses, now });

  /** Somebody else may sign in, whoever is known: what one role may not do, another may. */
  app.get("/sign-in", (context) =>
    settings.auth === "token"
      ? showSignIn(context, null, 200, toLocalPath(context.req.query("back")))
      : problem(context, "there is no such page", 404),
  );
  app.post("/sign-in", async (context) => {
    if (settings.auth !== "token") return problem(context, "there is no such page", 404);
    const address = addressOf(context);
    if (!guesses.mayTry(address)) return showSignIn(context, tooManyGuesses, 429);
    const values = await readForm(context.req.raw);
    // Others may have come while this one was read.
    if (!guesses.mayTry(address)) return showSignIn(context, tooManyGuesses, 429);
    const given = values?.["back"];
    const asked = given === undefined ? toPageBefore(context) : toLocalPath(given);
    const back = asked === "/sign-in" ? "/" : asked;
    const row = findToken(tokens.rows(), values?.["token"] ?? "");
    if (row === null) {
      guesses.wasWrong(address);
      return showSignIn(context, wrongToken, 401, back);
    }
    guesses.wasRight(address);
    setCookie(context, sessionCookie, toSession(row, now()));
    return context.redirect(back, 303);
  });

  app.use(async (context, next) => {
    const header = (name: string) => context.req.header(name);
    const caller = {
      address: addressOf(context),
      header,
      headerCount: (name: string) => countHeaders(context.env.incoming.rawHeaders, name),
      session: cookieOf(context, sessionCookie),
    };
    const identity = identify(caller);
    if (identity.kind !== "known") return turnAway(context, identity);
    context.set("person", identity.person);
    context.set("isStillKnown", () => isSamePerson(identify(caller), identity.person));
    context.set("key", await key());
    return next();
  });

  function turnAway(
    context: Asked,
    identity: Exclude<Identity, { kind: "known" }>,
  ): Response | Promise<Response> {
    if (identity.kind === "limited") return problem(context, tooManyGuesses, 429);
    if (identity.kind === "refused")
      return problem(context, identity.why, identity.isUnclear === true ? 401 : 403);
    if (identity.kind === "wrong-token") return showSignIn(context, wrongToken, 401);
    // Its own address has no page: back is where its form is.
    return context.req.method === "POST"
      ? showSignIn(context, notDone, 401, toPageBefore(context))
      : showSignIn(context, null, 401);
  }
}

function countHeaders(rawHeaders: readonly string[], name: string): number {
  const wanted = name.toLowerCase();
  return rawHeaders.filter((one, index) => index % 2 === 0 && one.toLowerCase() === wanted).length;
}

function isSamePerson(identity: Identity, { name, role }: Person): boolean {
  return identity.kind === "known" && identity.person.name === name && identity.person.role === role;
}
