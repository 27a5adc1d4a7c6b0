import { describe, expect, it } from "vitest";
import { createGuesses } from "../../../../../src/people/console/access/guesses.ts";
import { createIdentify, toSession, type Caller } from "../../../../../src/people/console/access/identify.ts";
import type { TokenRow } from "../../../../../src/people/console/access/token-file.ts";
import { useSettings } from "../../../../support/settings.ts";

const { load, write } = useSettings();
const ann: TokenRow = { name: "ann", role: "operator", token: "a-token-of-ann-01" };

const tokenFile = () => ({ AUTH: "token", TOKEN_FILE: write("tokens", "") });

function stand(env: Record<string, string>, rows: readonly TokenRow[] = [ann]) {
  const given = Object.entries(env).map(([name, value]) => [`REDRIVER_CONSOLE_${name}`, value] as const);
  const state = { now: 1_000_000, rows };
  const now = () => state.now;
  const { console: settings } = load({ env: Object.fromEntries(given) });
  const identify = createIdentify({ settings, tokens: () => state.rows, guesses: createGuesses(now), now });
  const ask = (
    headers: Record<string, string | readonly string[]> = {},
    more: Partial<Pick<Caller, "address" | "session">> = {},
  ) =>
    identify({
      address: "127.0.0.1",
      session: undefined,
      // As Node joins them.
      header: (name) => [headers[name.toLowerCase()] ?? []].flat().join(", ") || undefined,
      headerCount: (name) => [headers[name.toLowerCase()] ?? []].flat().length,
      ...more,
    });
  return { state, ask };
}

const known = (name: string | null, role: string) => ({ kind: "known", person: { name, role } });

describe("console.auth token", () => {
  it("knows a bearer, and a session until it ends", () => {
    const { ask, state } = stand(tokenFile());
    expect(ask({ authorization: `Bearer ${ann.token}` })).toEqual(known("ann", "operator"));
    expect(ask({ authorization: `bearer  ${ann.token}` })).toEqual(known("ann", "operator"));
    expect(ask()).toEqual({ kind: "sign-in" });
    const session = toSession(ann, state.now);
    expect(ask({}, { session })).toEqual(known("ann", "operator"));
    state.now += 12 * 3_600_000 - 1;
    expect(ask({}, { session })).toEqual(known("ann", "operator"));
    state.now += 1;
    expect(ask({}, { session })).toEqual({ kind: "sign-in" });
  });

  it("ends sessions with their token, and gives them the role that the file has now", () => {
    const { ask, state } = stand(tokenFile());
    const session = toSession(ann, state.now);
    state.rows = [{ ...ann, role: "viewer" }];
    expect(ask({}, { session })).toEqual(known("ann", "viewer"));
    state.rows = [{ ...ann, token: "another-of-ann-01" }];
    expect(ask({}, { session })).toEqual({ kind: "sign-in" });
    state.rows = [];
    expect(ask({}, { session })).toEqual({ kind: "sign-in" });
  });

  it("takes no session that somebody else wrote or changed", () => {
    const { ask, state } = stand(tokenFile());
    const session = toSession(ann, state.now);
    const [name, until, signature] = session.split(".");
    for (const forged of [
      `${name}.${Number(until) + 1}.${signature}`,
      `bob.${until}.${signature}`,
      `${name}.${until}.`,
      `${name}.${until}`,
      toSession({ ...ann, token: "" }, state.now),
      "",
      "x",
    ]) {
      expect({ forged, kind: ask({}, { session: forged }).kind }).toEqual({ forged, kind: "sign-in" });
    }
  });

  it("tries no more tokens of an address after ten wrong ones, until the minute is over", () => {
    const { ask, state } = stand(tokenFile());
    const session = toSession(ann, state.now);
    const wrong = () => ask({ authorization: "Bearer wrong" }).kind;
    expect(Array.from({ length: 11 }, wrong)).toEqual([...Array<string>(10).fill("wrong-token"), "limited"]);
    expect(ask({ authorization: `Bearer ${ann.token}` }).kind).toBe("limited");
    expect(ask({ authorization: `Bearer ${ann.token}` }, { address: "10.0.0.1" }).kind).toBe("known");
    expect(ask({}, { session }).kind).toBe("known");
    state.now += 60_000;
    expect(ask({ authorization: `Bearer ${ann.token}` }).kind).toBe("known");
  });

  it("bounds the guesses of all addresses together", () => {
    const { ask } = stand(tokenFile());
    const kinds = Array.from({ length: 101 }, (_, index) =>
      ask({ authorization: "Bearer wrong" }, { address: `10.0.0.${index}` }),
    ).map(({ kind }) => kind);
    expect(kinds.slice(99)).toEqual(["wrong-token", "limited"]);
  });

  it("locks nobody out who had a right token before", () => {
    const { ask } = stand(tokenFile());
    const colleague = (token: string) =>
      ask({ authorization: `Bearer ${token}` }, { address: "10.1.0.1" }).kind;
    expect(colleague(ann.token)).toBe("known");
    for (let index = 0; index < 101; index += 1) {
      ask({ authorization: "Bearer wrong" }, { address: `10.0.0.${index}` });
    }
    expect(ask({ authorization: `Bearer ${ann.token}` }, { address: "10.2.0.1" }).kind).toBe("limited");
    expect(colleague(ann.token)).toBe("known");
    expect(Array.from({ length: 11 }, () => colleague("wrong")).at(-1)).toBe("limited");
  });
});

describe("console.auth headers", () => {
  const proxied = {
    AUTH: "headers",
    PROXIES: "10.0.0.7, 10.1.0.0/16, fd00::/8",
    OPERATOR_GROUPS: "ops",
    ADMIN_GROUPS: "leads",
  };
  const ask = (headers: Record<string, string | readonly string[]>, address = "10.0.0.7") =>
    stand(proxied).ask(headers, { address });

  it.each(["10.0.0.7", "::ffff:10.0.0.7", "10.1.255.1", "::ffff:10.1.0.1", "fd00::1", "fd00::1%eth0"])(
    "believes %s",
    (address) => {
      expect(ask({ "x-forwarded-user": "ann" }, address)).toEqual(known("ann", "viewer"));
    },
  );

  it.each(["10.0.0.8", "::ffff:10.0.0.8", "127.0.0.1", "::1", "10.2.0.1", "", "x", "::ffff:10.0.0.7.evil"])(
    "refuses the headers of %j",
    (address) => {
      expect(ask({ "x-forwarded-user": "ann" }, address)).toEqual({
        kind: "refused",
        why: "expected a request by a proxy of console.proxies",
      });
    },
  );

  // Node joins two headers by a comma, and U+202E is not seen.
  it.each([undefined, " ", "a".repeat(101), "mallory, ann", "an\u202en"])(
    "refuses a name that is none: %j",
    (name) => {
      expect(ask(name === undefined ? {} : { "x-forwarded-user": name })).toMatchObject({ kind: "refused" });
    },
  );

  it.each([
    { "x-forwarded-user": ["ann", "ann"] },
    { "x-forwarded-user": "ann", "x-forwarded-groups": ["dev", "leads"] },
  ])("joins no headers that came twice: %j", (headers) => {
    expect(ask(headers)).toMatchObject({ kind: "refused", isUnclear: true });
  });

  it.each([
    ["", "viewer"],
    ["dev", "viewer"],
    ["dev, ops", "operator"],
    ["ops,leads", "admin"],
    ["OPS", "viewer"],
    ["opsx", "viewer"],
  ])("gives the groups %j the role %s", (groups, role) => {
    expect(ask({ "x-forwarded-user": "ann", "x-forwarded-groups": groups })).toEqual(known("ann", role));
  });
});
