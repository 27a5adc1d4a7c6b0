import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { askConsole, type Asking } from "../../support/ask-console.ts";
import { createFolder } from "../../support/command.ts";
import { startConsole } from "../../support/plain-console.ts";
import { sendBytes } from "../../support/raw-http.ts";
import { formTokenOf } from "../../support/console-stand.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const tokens = { ann: "a-token-of-ann-0001", vic: "a-token-of-vic-0001" };
const tokenFile = `ann operator ${tokens.ann}\nvic viewer ${tokens.vic}\n`;

const cookieOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }, name: string) =>
  ((answer.headers["set-cookie"] as string[] | undefined) ?? [])
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.split(";")[0];

/** An answer that goes on, once its head is there. */
function openStream(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, resolve).on("error", reject).end();
  });
}

const endOf = (stream: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.on("close", () => resolve(text));
    stream.on("error", () => undefined);
  });

async function openStatus(url: string): Promise<number | undefined> {
  const stream = await openStream(url, {});
  stream.destroy();
  return stream.statusCode;
}

describe("a console that anybody of this machine may read", () => {
  it("gives every answer its headers, and refuses other hosts and other pages", async () => {
    const { url, daemon } = await startConsole(redis.url(), { CONSOLE_ROLE: "operator" });
    const { port } = new URL(url);
    const answers: readonly (readonly [string, Asking, number])[] = [
      ["/", {}, 200],
      ["/assets/icon.svg", {}, 200],
      ["/assets/nothing", {}, 404],
      ["/nothing", {}, 404],
      ["/live", {}, 404],
      ["/live/nothing", {}, 404],
      ["/live/", { method: "HEAD" }, 200],
      ["/live/", { headers: { "sec-fetch-site": "cross-site" } }, 403],
      ["/", { headers: { host: "evil.example" } }, 421],
      ["/", { headers: { host: `evil.example:${port}` } }, 421],
      ["/sign-in", { method: "POST", body: { token: "x" } }, 404],
      ["/acts/pause", { method: "POST", body: { formToken: "x" } }, 403],
      ["/acts/pause", { method: "POST", body: "x" }, 413],
      ["/acts/nothing", { method: "POST", body: {} }, 404],
      ["/acts/pause", { method: "POST", body: {}, headers: { origin: "http://evil.example" } }, 403],
      ["/acts/pause", { method: "POST", body: {}, headers: { origin: "null" } }, 403],
      ["/acts/pause", { method: "POST", body: {}, headers: { "sec-fetch-site": "same-site" } }, 403],
      ["/acts/pause", { method: "POST", body: { reason: "r".repeat(16_384) } }, 413],
      ["/api/v1/pauses", { method: "POST", body: "{}", headers: { origin: "https://evil.example" } }, 403],
      ["/api/v1/pauses", { method: "POST", body: "{}", headers: { "sec-fetch-site": "same-site" } }, 403],
      ["/api/v1/pauses", { method: "POST", body: { all: "true" } }, 415],
      ["/api/v1/pauses", { method: "OPTIONS", headers: { origin: "https://evil.example" } }, 403],
    ];
    for (const [path, asking, status] of answers) {
      const answer = await askConsole(`${url}${path}`, asking);
      expect({ path, asking, status: answer.status }).toEqual({ path, asking, status });
      expect(answer.headers).toMatchObject({
        "content-security-policy": expect.stringContaining("default-src 'none'") as string,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cache-control": expect.stringMatching(/^no-(store|cache)$/) as string,
      });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
    expect(daemon.log.filter(({ event }) => event === "console:page-failed")).toEqual([]);
  });

  it("has pages that load less than 100 KB besides their HTML, compressed", async () => {
    const { url } = await startConsole(redis.url());
    const { text } = await askConsole(url);
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(assets).toContain("/assets/console.js");
    const headers = { "accept-encoding": "gzip" };
    const sent = await Promise.all(assets.map((path) => askConsole(url + path, { headers })));
    const sizes = sent.map(({ headers: { "content-encoding": encoding, "content-length": length } }) =>
      encoding === "gzip" ? Number(length) : Infinity,
    );
    const sum = sizes.reduce((all, size) => all + size, 0);
    expect(sum).toBeLessThan(100_000);
    expect(sum).toBeGreaterThan(1_000);
  });

  it("has bounds for headers, streams and connections, and ends them when it is to stop", async () => {
    const { url, daemon } = await startConsole(redis.url());
    expect((await askConsole(url, { headers: { "x-long": "x".repeat(20_000) } })).status).toBe(431);
    const live = `${url}/live/`;
    const streams = await Promise.all(Array.from({ length: 128 }, () => openStream(live, {})));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array<number>(128).fill(200));
    expect(await askConsole(live)).toMatchObject({ status: 503, headers: { "retry-after": "30" } });
    // Those who connect and say nothing give way to who asks.
    const silent = Array.from({ length: 200 }, () =>
      sendBytes(url, [Buffer.from("GET / HTTP/1.1\r\n")], 30_000),
    );
    expect((await askConsole(url)).status).toBe(200);
    streams[0]!.destroy();
    await expect.poll(() => openStatus(live)).toBe(200);

    const ends = streams.slice(1).map(endOf);
    await daemon.endsWell();
    for (const text of await Promise.all(ends)) expect(text).toMatch(/^retry: 3000/);
    await Promise.all(silent);
  });

  it("says in a page and to a program that Redis is away, and goes on", async () => {
    const away = { CONSOLE_ROLE: "operator", REDIS_URL: "redis://127.0.0.1:1" };
    const { url, daemon } = await startConsole(redis.url(), away);
    const page = await askConsole(url);
    expect(page.status).toBe(503);
    expect(page.text).toContain("redis-unavailable");
    expect(page.text).toContain("Nothing was done.");
    expect(page.headers["content-security-policy"]).toBeDefined();
    const body = JSON.stringify({ all: true, reason: "INC-7", by: "ann" });
    const headers = { "content-type": "application/json" };
    const api = [
      await askConsole(`${url}/api/v1/status`),
      await askConsole(`${url}/api/v1/pauses`, { method: "POST", body, headers }),
    ];
    for (const { status, text } of api) {
      expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: "redis-unavailable" } }]);
    }
    expect((await askConsole(`${url}/assets/icon.svg`)).status).toBe(200);
    await daemon.endsWell();
  });
});

describe("a console with tokens", () => {
  it("signs in, gives each their role, and ends sessions and streams with their token", async () => {
    const folder = createFolder({ tokens: tokenFile });
    const file = `${folder.path}/tokens`;
    const { url, daemon } = await startConsole(redis.url(), {
      CONSOLE_AUTH: "token",
      CONSOLE_TOKEN_FILE: file,
    });
    const signIn = (token: string) => askConsole(`${url}/sign-in`, { method: "POST", body: { token } });
    const stranger = await askConsole(`${url}/failures`);
    expect(stranger.status).toBe(401);
    expect(stranger.text).toContain('name="token"');
    expect((await askConsole(`${url}/live/`)).status).toBe(401);
    for (const path of ["/failures", "/live/", "/api/v1/status", "/acts/pause", "/nowhere"]) {
      const method = path.startsWith("/acts") ? "POST" : "GET";
      for (const authorization of [undefined, "Bearer of-nobody", "Basic YW5uOng="]) {
        const asking = { method, headers: authorization === undefined ? {} : { authorization } };
        const answer = await askConsole(`${url}${path}`, asking);
        expect([path, authorization, answer.status, answer.headers["www-authenticate"]]).toEqual([
          path,
          authorization,
          401,
          authorization === "Bearer of-nobody" ? 'Bearer error="invalid_token"' : "Bearer",
        ]);
      }
    }
    expect((await signIn("wrong")).status).toBe(401);

    const signedIn = await signIn(tokens.ann);
    expect([signedIn.status, signedIn.headers["location"]]).toEqual([303, "/"]);
    expect(String(signedIn.headers["set-cookie"])).toMatch(/HttpOnly; SameSite=Strict; Max-Age=43200$/);
    const askedFor = {
      method: "POST",
      body: { token: tokens.ann },
      headers: { referer: `${url}/failures?q=1` },
    };
    expect((await askConsole(`${url}/sign-in`, askedFor)).headers["location"]).toBe("/failures?q=1");
    const cookie = cookieOf(signedIn, "redriver_session") ?? "";
    expect(cookie).not.toContain(tokens.ann);
    const page = await askConsole(url, { headers: { cookie } });
    expect(page.text).toContain("ann (operator)");

    // Where a role is too low, another person signs in, and comes back to the same page.
    const other = /href="(\/sign-in\?[^"]+)">sign in as somebody else</;
    const here = await askConsole(`${url}/failures?q=1`, { headers: { cookie } });
    const form = await askConsole(`${url}${other.exec(here.text)?.[1] ?? ""}`, { headers: { cookie } });
    const back = /name="back" value="([^"]+)"/.exec(form.text)?.[1] ?? "";
    expect([form.status, back]).toEqual([200, "/failures?q=1"]);
    const change = (body: Record<string, string>) =>
      askConsole(`${url}/sign-in`, { method: "POST", headers: { cookie }, body });
    // Also after a wrong token.
    expect((await change({ token: "wrong", back })).text).toContain(`name="back" value="${back}"`);
    const changed = await change({ token: tokens.vic, back });
    expect([changed.status, changed.headers["location"]]).toEqual([303, back]);
    expect(cookieOf(changed, "redriver_session")).toContain("vic.");
    for (const stranger of ["https://evil.example/", "//evil.example", "/sign-in"]) {
      const answer = await change({ token: tokens.ann, back: stranger });
      expect(answer.headers["location"]).toBe("/");
    }

    // A viewer sees and does not act, also with the form of another person.
    const bearer = { authorization: `Bearer ${tokens.vic}` };
    expect((await askConsole(url, { headers: bearer })).text).toContain("vic (viewer)");
    const act = {
      method: "POST",
      body: { formToken: formTokenOf(page.text), reason: "r", drains: "orders" },
    };
    expect((await askConsole(`${url}/acts/pause`, { ...act, headers: bearer })).status).toBe(403);

    const ended = endOf(await openStream(`${url}/live/`, { cookie }));
    writeFileSync(file, `vic viewer ${tokens.vic}\n`);
    expect(await ended).toContain("retry: 3000");
    expect((await askConsole(url, { headers: { cookie } })).status).toBe(401);
    const late = { ...act, headers: { cookie, referer: `${url}/failures?q=1` } };
    const { status, text } = await askConsole(`${url}/acts/pause`, late);
    expect([status, text]).toEqual([401, expect.stringContaining("so nothing was done")]);
    expect(text).toContain(`name="back" value="${back}"`);
    expect((await askConsole(url, { headers: bearer })).status).toBe(200);
    // A file that cannot be read keeps the rows that it had, and nobody need ask for that to be noticed.
    writeFileSync(file, `vic viewer ${tokens.vic}\nann emperor ${tokens.ann}\n`);
    const rejected = await daemon.line(({ event }) => event === "console:tokens-rejected");
    const why = "line 2: expected a role of viewer, operator, admin";
    expect(rejected).toMatchObject({ level: "error", file, why });
    expect(String(rejected["msg"])).toContain(`${file}: line 2: expected a role`);
    expect(JSON.stringify(daemon.log)).not.toContain(tokens.ann);
    expect((await askConsole(url, { headers: bearer })).status).toBe(200);
    const rules = async () => (await askConsole(`${url}/rules`, { headers: bearer })).text;
    expect(await rules()).toContain("rejects its file of tokens");
    expect(await rules()).toContain(why);
    writeFileSync(file, `vic viewer ${tokens.vic}\n`);
    await expect.poll(rules).not.toContain("rejects its file of tokens");
    expect(daemon.log.filter(({ event }) => event === "console:tokens-rejected")).toHaveLength(1);
  });

  it("bounds guesses also if all of them begin before the first one ends", async () => {
    const folder = createFolder({ tokens: tokenFile });
    const { url } = await startConsole(redis.url(), {
      CONSOLE_AUTH: "token",
      CONSOLE_TOKEN_FILE: `${folder.path}/tokens`,
    });
    const body = "token=wrong";
    const begun = Array.from({ length: 40 }, () => {
      const call = request(`${url}/sign-in`, {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "content-length": body.length,
          origin: new URL(url).origin,
        },
      });
      call.write(body.slice(0, 5));
      return call;
    });
    await Promise.all(begun.map((call) => once(call, "socket")));
    // Heads are read by the time that a request which came after them is answered.
    for (let times = 0; times < 3; times += 1) await askConsole(`${url}/`);
    const statuses = await Promise.all(
      begun.map(async (call) => {
        call.end(body.slice(5));
        const [answer] = (await once(call, "response")) as [IncomingMessage];
        answer.resume();
        return answer.statusCode;
      }),
    );
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(20);
  });
});
