import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { askConsole, type Asking } from "../../support/ask-console.ts";
import { root } from "../../support/markdown.ts";
import { startConsole } from "../../support/plain-console.ts";
import { useRedis } from "../../support/redis.ts";
import { serve } from "../../support/serve.ts";

const redis = useRedis();
const host = "redriver.example.com";

/** The settings of deploy/components/console, with what its overlay says. Names without REDRIVER_. */
function componentSettings(): Readonly<Record<string, string>> {
  const text = readFileSync(path.join(root, "deploy/components/console/kustomization.yaml"), "utf8");
  const { configMapGenerator } = parse(text) as {
    readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[];
  };
  const { literals } = configMapGenerator.find(({ name }) => name === "redriver-settings")!;
  const settings = Object.fromEntries(
    literals.map((literal) => /^REDRIVER_(\w+)=(.*)$/.exec(literal)!.slice(1) as [string, string]),
  );
  return {
    ...settings,
    CONSOLE_HOSTS: host,
    CONSOLE_OPERATOR_GROUPS: "redriver-operators",
    CONSOLE_ADMIN_GROUPS: "redriver-admins",
  };
}

const people: Readonly<Record<string, string>> = {
  "vic@example.com": "everybody",
  "ann@example.com": "everybody,redriver-operators",
  "eve@example.com": "redriver-admins",
};

/**
 * In the place of oauth2-proxy: the cookie says who is signed in, and the headers of the browser about that
 * are replaced.
 */
async function startProxy(upstream: string): Promise<string> {
  const { hostname, port } = new URL(upstream);
  const server = createServer((incoming, answer) => {
    const person = /^who=(.*)$/.exec(incoming.headers.cookie ?? "")?.[1] ?? "";
    if (people[person] === undefined) {
      answer.writeHead(302, { location: "https://accounts.example.com/" }).end();
      return;
    }
    const headers = {
      ...incoming.headers,
      "x-forwarded-user": person,
      "x-forwarded-groups": people[person],
    };
    const { method, url } = incoming;
    const outgoing = request(
      { hostname, port, path: url, method, headers, setHost: false, agent: false },
      (from) => {
        answer.writeHead(from.statusCode ?? 0, from.headers);
        from.pipe(answer);
      },
    );
    outgoing.on("error", () => answer.destroy());
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  return url;
}

const cookieOf = (person: string): Readonly<Record<string, string>> => ({ host, cookie: `who=${person}` });

describe("the console with the settings of deploy/components/console", () => {
  it("gives each person whom the proxy names the role of their groups", async () => {
    const { url } = await startConsole(redis.url(), componentSettings());
    const proxy = await startProxy(url);
    const as = async (person: string, asking: Asking = {}) =>
      askConsole(proxy, { ...asking, headers: { ...cookieOf(person), ...asking.headers } });

    expect((await as("nobody")).status).toBe(302);
    expect((await as("vic@example.com")).text).toContain("vic@example.com (viewer)");
    expect((await as("ann@example.com")).text).toContain("ann@example.com (operator)");
    expect((await as("eve@example.com")).text).toContain("eve@example.com (admin)");
    // What a browser says of itself does not count.
    const claims = { "x-forwarded-user": "eve@example.com", "x-forwarded-groups": "redriver-admins" };
    expect((await as("vic@example.com", { headers: claims })).text).toContain("vic@example.com (viewer)");
  });

  it("lets an operator act in a page of its own name, and a viewer not", async () => {
    const { url } = await startConsole(redis.url(), componentSettings());
    const proxy = await startProxy(url);
    let formToken = "";
    const readForm = async () => {
      const page = await askConsole(proxy, { headers: cookieOf("ann@example.com") });
      formToken = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
      return formToken;
    };
    // The daemon has just started: its first page may know no drain yet.
    await expect.poll(readForm).not.toBe("");
    const body = { formToken, reason: "try", drains: "orders", back: "/" };
    const pause = async (person: string, origin = `https://${host}`, more: Asking["headers"] = {}) =>
      (
        await askConsole(`${proxy}/acts/pause`, {
          method: "POST",
          body,
          headers: { ...cookieOf(person), origin, "sec-fetch-site": "same-origin", ...more },
        })
      ).status;
    expect(await pause("vic@example.com")).toBe(403);
    expect(await pause("ann@example.com", "https://evil.example")).toBe(403);
    // Whoever answers for this name by http is somebody else, as the ingress and as the browser says it.
    const byHttps = { "x-forwarded-proto": "https" };
    expect(await pause("ann@example.com", `http://${host}`, byHttps)).toBe(403);
    expect(await pause("ann@example.com", `http://${host}`, { "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await pause("ann@example.com", `https://${host}`, byHttps)).toBe(303);
    // TLS may have ended before the ingress.
    expect(await pause("ann@example.com", `https://${host}`, { "x-forwarded-proto": "http" })).toBe(303);
    expect(await pause("ann@example.com")).toBe(303);
    const history = await askConsole(`${proxy}/history`, { headers: cookieOf("vic@example.com") });
    expect(history.text).toContain("ann@example.com");
  });

  it("refuses whoever comes past the proxy, also through a forwarded port, and what comes through it twice", async () => {
    const { url } = await startConsole(redis.url(), componentSettings());
    const headers = { host, "x-forwarded-user": "eve@example.com", "x-forwarded-groups": "redriver-admins" };
    const past = await askConsole(url, { headers, from: "127.0.0.3" });
    expect([past.status, past.text]).toEqual([403, expect.stringContaining("console.proxies")]);
    for (const twice of [
      { "x-forwarded-user": ["mallory", "eve"] },
      { "x-forwarded-groups": ["dev", "redriver-admins"] },
    ]) {
      const answer = await askConsole(url, { headers: { ...headers, ...twice } });
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining("once")]);
    }
    const elsewhere = await askConsole(url, { headers: { ...headers, host: "evil.example" } });
    expect(elsewhere.status).toBe(421);
    // `kubectl port-forward` connects to this address of the pod.
    const { port } = new URL(url);
    // Nothing listens there, or something else that was given the same number.
    const forwarded = await askConsole(`http://127.0.0.1:${port}`, { headers }).then(
      ({ text }) => text,
      String,
    );
    expect(forwarded).toMatch(/ECONNREFUSED|expected \/livez/);
  });
});
