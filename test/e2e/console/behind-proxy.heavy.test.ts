import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished, expect, it } from "vitest";
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

it("with the settings of deploy/components/console the proxy says who acts, and who comes past it is refused", async () => {
  const { url } = await startConsole(redis.url(), componentSettings());
  const proxy = await startProxy(url);
  const as = async (person: string, asking: Asking = {}, path = "") =>
    askConsole(`${proxy}${path}`, { ...asking, headers: { ...cookieOf(person), ...asking.headers } });
  expect((await as("nobody")).status).toBe(302);
  expect((await as("vic@example.com")).text).toContain("vic@example.com (viewer)");
  expect((await as("eve@example.com")).text).toContain("eve@example.com (admin)");
  const claims = { "x-forwarded-user": "eve@example.com", "x-forwarded-groups": "redriver-admins" };

  let formToken = "";
  const readForm = async () => {
    const page = await as("ann@example.com");
    expect(page.text).toContain("ann@example.com (operator)");
    formToken = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    return formToken;
  };
  // The daemon has just started: its first page may know no drain yet.
  await expect.poll(readForm).not.toBe("");
  const body = { formToken, reason: "try", drains: "orders", back: "/" };
  const pause = async (person: string, origin: string, more: Asking["headers"] = {}) => {
    const headers = { origin, "sec-fetch-site": "same-origin", ...more };
    return (await as(person, { method: "POST", body, headers }, "/acts/pause")).status;
  };
  expect(await pause("vic@example.com", `https://${host}`)).toBe(403);
  // Whoever answers for this name by http is somebody else, as the ingress says it.
  expect(await pause("ann@example.com", `http://${host}`, { "x-forwarded-proto": "https" })).toBe(403);
  // TLS may have ended before the ingress.
  for (const proto of ["https", "http"]) {
    expect(await pause("ann@example.com", `https://${host}`, { "x-forwarded-proto": proto })).toBe(303);
  }
  expect((await as("vic@example.com", {}, "/history")).text).toContain("ann@example.com");

  const headers = { host, ...claims };
  const past = await askConsole(url, { headers, from: "127.0.0.3" });
  expect([past.status, past.text]).toEqual([403, expect.stringContaining("console.proxies")]);
  // `kubectl port-forward` connects to this address of the pod: nothing listens there, or what was given the same number.
  const forwarded = await askConsole(`http://127.0.0.1:${new URL(url).port}`, { headers }).then(
    ({ text }) => text,
    String,
  );
  expect(forwarded).toMatch(/ECONNREFUSED|expected \/livez/);
});
