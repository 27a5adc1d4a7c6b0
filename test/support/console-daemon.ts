import { expect } from "vitest";
import type { z } from "zod";
import type { Emulator, EmulatorOptions } from "../../dev/emulator/index.ts";
import { toFieldValue, type Operation, type Texts } from "../../src/people/operations/define.ts";
import { createEnv, startDaemon } from "./daemon.ts";
import { createFolder } from "./command.ts";
import type { Receiver } from "./receiver.ts";
import { seedLetters, startService } from "./service.ts";

export const tokens = {
  viewer: "viewer-token-0123456789",
  operator: "operator-token-0123456789",
  admin: "admin-token-0123456789",
};
export type Role = keyof typeof tokens;

/** Settings of a console that knows one person of each role by a token. */
export function tokenEnv(): Readonly<Record<string, string>> {
  const lines = Object.entries(tokens).map(([role, token]) => `${role}-person ${role} ${token}`);
  const file = createFolder().write("tokens", lines.join("\n"));
  return { REDRIVER_CONSOLE_AUTH: "token", REDRIVER_CONSOLE_TOKEN_FILE: file };
}

/** What a program sends for an operation that a form sends these texts for. */
export function toBody({ input, path }: Operation, values: Texts): object {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, text = ""]) => {
      if (path.includes(`:${name}`)) return [];
      const schema = input.shape[name] as z.ZodType | undefined;
      return [[name, schema === undefined ? text : toFieldValue(schema, text)]];
    }),
  );
}

export interface ConsoleDaemon {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
  readonly folder: { readonly path: string };
  /** Of the daemon, for commands beside it. */
  readonly env: Readonly<Record<string, string>>;
  readonly address: string;
  /** Of its metrics. */
  readonly ops: string;
  /** A path below /api/v1, with a body. */
  api(path: string, body: object, role: Role): Promise<Response>;
  seed(count: number, fields?: object): readonly string[];
  /** A page as this role sees it. */
  get(path: string, role?: Role): Promise<Response>;
  page(path: string, role?: Role): Promise<string>;
  /** Sends the first form of that act on a page, filled in with these values. Null: the page has no such form. */
  submit(
    path: string,
    act: string,
    values: Readonly<Record<string, string>>,
    role: Role,
  ): Promise<Response | null>;
  post(act: string, values: Readonly<Record<string, string>>, role: Role): Promise<Response>;
  /** How many lists the service was asked for. */
  lists(): number;
}

/** A daemon with its console, over an emulator and a Redis, for one test. One person of each role has a token. */
export async function startConsoleDaemon(
  redisUrl: string,
  document: string,
  {
    env: more = {},
    emulator: options = {},
  }: { readonly env?: Readonly<Record<string, string>>; readonly emulator?: EmulatorOptions } = {},
): Promise<ConsoleDaemon> {
  const { emulator, receiver } = await startService(options);
  const { env, folder } = createEnv({
    emulator,
    redisUrl,
    document,
    env: {
      REDRIVER_CONSOLE_PORT: "0",
      ...tokenEnv(),
      INDEX_USER: emulator.statsCredentials.username,
      INDEX_PASSWORD: emulator.statsCredentials.password,
      REDRIVER_STATISTICS_URL: emulator.url,
      ...more,
    },
  });
  const daemon = await startDaemon(env);
  const started = daemon.log.find(({ event }) => event === "daemon:started");
  const [address, ops] = [started?.["consoleAddress"], started?.["httpAddress"]].map(
    (one) => `http://${String(one)}`,
  ) as [string, string];
  const get = (to: string, role: Role = "viewer"): Promise<Response> =>
    fetch(`${address}${to}`, { headers: { authorization: `Bearer ${tokens[role]}` } });
  const page = async (to: string, role?: Role): Promise<string> => {
    const response = await get(to, role);
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    return text;
  };
  const post = (act: string, values: Readonly<Record<string, string>>, role: Role): Promise<Response> =>
    fetch(`${address}/acts/${act}`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${tokens[role]}`, origin: address },
      body: new URLSearchParams(values),
    });
  let seeded = 0;
  return {
    emulator,
    receiver,
    folder,
    env,
    address,
    ops,
    get,
    api: (to, body, role) =>
      fetch(`${address}/api/v1${to}`, {
        method: "POST",
        headers: { authorization: `Bearer ${tokens[role]}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    page,
    post,
    async submit(to, act, values, role) {
      const form = new RegExp(`<form method="post" action="/acts/${act}">.*?</form>`, "s").exec(
        await page(to, role),
      );
      if (form === null) return null;
      const hidden = [...form[0].matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const known = Object.fromEntries(
        hidden.map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]),
      );
      return post(act, { ...known, ...values }, role);
    },
    seed: (count, fields = {}) => {
      const toFields = () => ({
        url: `${receiver.url}/hook?token=of-a-query`,
        responseStatus: 422,
        header: { Authorization: ["Bearer of-a-header"] },
        body: `of-a-body ${(seeded += 1)}`,
        ...fields,
      });
      // Behind those of the call before.
      return seedLetters(emulator, count, toFields, { ageMs: 60 * 60_000 - seeded });
    },
    lists: () => emulator.journal.entries("request").filter(({ operation }) => operation === "list").length,
  };
}
