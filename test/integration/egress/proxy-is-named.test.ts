/** Proxies that lie, stall and close: whatever goes wrong behind one, its error names it and the setting. */
import { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/system-world.ts";
import { createSendNotices } from "../../../src/people/notices/send-notices.ts";
import type { EgressConfig } from "../../../src/egress/proxy-for.ts";
import { createStatisticsClient } from "../../../src/job/statistics/index-statistics-client.ts";
import {
  connectTo,
  rawAnswer,
  startRaw,
  watch,
  type RawConnection,
} from "../../support/message-service-server.ts";
import { testCertificate, testCertificateKey } from "../../support/service-certificate.ts";

const page = "<!doctype html><html><body>Please log in. Access denied</body></html>";
const way = "HTTP/1.1 200 Connection established\r\n\r\n";
const html = (status: number): string => rawAnswer(status, page, { "content-type": "text/html" });

type Lie = (connection: RawConnection) => void;
const toConnect =
  (act: Lie): Lie =>
  (connection) =>
    connection.when("\r\n\r\n", () => act(connection));
const saying = (text: string): Lie => toConnect(({ socket }) => void socket.end(text));

/** Opens the TLS of the target itself, as a proxy that inspects does, and answers each request so. */
const insideTls = (answer: string): Lie =>
  toConnect(({ socket }) => {
    socket.write(way);
    socket.removeAllListeners("data");
    const tls = new TLSSocket(socket, { isServer: true, cert: testCertificate, key: testCertificateKey });
    const inner = watch(tls);
    inner.when("\r\n\r\n", () => tls.end(answer));
  });

const lies: Readonly<Record<string, Lie>> = {
  "closes at once": ({ socket }) => void socket.end(),
  "resets at once": ({ socket }) => void socket.resetAndDestroy(),
  "closes at CONNECT": toConnect(({ socket }) => void socket.end()),
  "resets at CONNECT": toConnect(({ socket }) => void socket.resetAndDestroy()),
  "asks for a password": saying(html(407)),
  "forbids, with a page": saying(html(403)),
  "finds no way, with a page": saying(html(502)),
  "has a page in place of a way": saying(html(200)),
  "leads to a page": saying(
    "HTTP/1.1 302 Found\r\nlocation: http://login.example\r\ncontent-length: 0\r\n\r\n",
  ),
  "is no HTTP": saying("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
  "answers more than a header": saying(`${way}hello`),
  "answers a header without end": saying("x".repeat(20_000)),
  "resets the way": toConnect(({ socket }) => {
    socket.write(way);
    socket.removeAllListeners("data");
    socket.once("data", () => socket.resetAndDestroy());
  }),
  "closes the way": toConnect(({ socket }) => {
    socket.write(way);
    socket.removeAllListeners("data");
    socket.once("data", () => socket.end());
  }),
  "speaks no TLS behind the way": toConnect(({ socket }) => {
    socket.write(way);
    socket.removeAllListeners("data");
    socket.once("data", () => socket.end(html(200)));
  }),
};

const inspecting: Readonly<Record<string, Lie>> = Object.fromEntries([
  ...[200, 302, 403, 407, 429, 502].map((status) => [
    `answers ${status} with a page`,
    insideTls(html(status)),
  ]),
  ["closes before an answer", insideTls("")],
  ["cuts an answer", insideTls("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n[")],
]);

const stalls: Lie = () => undefined;

async function startLiar(lie: Lie) {
  const { baseUrl } = await startRaw(lie);
  return new URL(baseUrl);
}

const target = "https://service.example.com";
const toEgress = (proxy: URL): EgressConfig => ({ url: `http://ops:s3cret@${proxy.host}`, except: [] });

function serviceBehind(proxy: URL, ca?: string) {
  const forwardProxy = {
    hostname: proxy.hostname,
    port: Number(proxy.port),
    authorization: `Basic ${btoa("ops:s3cret")}`,
  };
  const baseUrl = ca === undefined ? target : "https://localhost";
  return connectTo(baseUrl, {
    proxy: forwardProxy,
    clock: systemClock,
    connectTimeoutMs: 500,
    ...(ca === undefined ? {} : { ca }),
  }).service;
}

const failing = async (work: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await work);
  } catch (error) {
    return (error as Error).message;
  }
};

/** What each client of redriver says. */
const clients: Readonly<Record<string, (proxy: URL) => Promise<string>>> = {
  list: (proxy) => failing(serviceBehind(proxy).list({ select: {}, count: 10 })),
  delete: (proxy) => failing(serviceBehind(proxy).remove(["1-0"] as never)),
  async publish(proxy) {
    const outcome = await serviceBehind(proxy).publish(['{"destination":"https://a.example"}'], () => true);
    return outcome.kind === "not-sent" ? outcome.error : outcome.kind;
  },
  statistics: (proxy) =>
    failing(
      createStatisticsClient({
        baseUrl: target,
        timeoutMs: 1_000,
        clock: systemClock,
        egress: toEgress(proxy),
      }).read({ name: "catalog", id: "one", period: "3h" }, { user: "u", password: "p" }),
    ),
  notices: (proxy) =>
    failing(
      createSendNotices({
        target: { name: "oncall", form: "events", allowPrivate: true },
        url: `${target}/hook`,
        clock: systemClock,
        egress: toEgress(proxy),
      })(
        [{ id: "1-test", event: "test", at: 1, source: "one" as never, items: [], more: 0 }],
        new AbortController().signal,
      ),
    ),
};

/** What is wrong with an error behind this proxy. */
function faultsOf(said: string, proxy: URL): readonly string[] {
  const names = said.split("(proxy.url)").length - 1;
  return [
    ...(said.includes(`the proxy ${proxy.host} (proxy.url)`) ? [] : [`not named: ${said}`]),
    ...(names === 1 ? [] : [`named ${names} times: ${said}`]),
    ...(/s3cret|b3BzOnMzY3JldA|got Error|unknown failure|log in/.test(said)
      ? [`says too much: ${said}`]
      : []),
    // What has no way needs no other address and no other token.
    ...(/no way.*service\.(url|token)/.test(said) ? [`accuses the service: ${said}`] : []),
  ];
}

describe.each(Object.keys(clients))("%s names the proxy and proxy.url", (name) => {
  const say = clients[name]!;

  it.each(Object.keys(lies))("if it %s", async (lie) => {
    const proxy = await startLiar(lies[lie]!);
    expect(faultsOf(await say(proxy), proxy)).toEqual([]);
  });

  it.each([
    ["nobody listens there", "http://127.0.0.1:1", /ECONNREFUSED/],
    ["its name is not known", "http://proxy.invalid:3128", /ENOTFOUND|EAI_AGAIN/],
  ])("if %s", async (_why, address, says) => {
    const proxy = new URL(address);
    const said = await say(proxy);
    expect(faultsOf(said, proxy)).toEqual([]);
    expect(said).toMatch(says);
  });

  it("if it opens TLS under another authority", async () => {
    const proxy = await startLiar(insideTls(html(200)));
    const said = await say(proxy);
    expect(faultsOf(said, proxy)).toEqual([]);
    expect(said).toContain("SELF_SIGNED_CERT");
  });
});

it("a listing that is refused a way was not sent", async () => {
  const service = serviceBehind(await startLiar(lies["forbids, with a page"]!));
  const said = { code: "service-unavailable", notSent: true };
  await expect(service.list({ select: {}, count: 10 })).rejects.toMatchObject(said);
});

describe.each(["list", "delete", "publish", "statistics"])("%s names a proxy", (name) => {
  it("that stalls", async () => {
    const proxy = await startLiar(stalls);
    expect(faultsOf(await clients[name]!(proxy), proxy)).toEqual([]);
  });
});

describe.each(["list", "delete", "publish"] as const)("%s names a proxy that inspects", (name) => {
  it.each(Object.keys(inspecting))("and %s", async (lie) => {
    const proxy = await startLiar(inspecting[lie]!);
    const service = serviceBehind(proxy, testCertificate);
    const calls = {
      list: () => failing(service.list({ select: {}, count: 10 })),
      delete: () => failing(service.remove(["1-0"] as never)),
      publish: async () =>
        JSON.stringify(await service.publish(['{"destination":"https://a.example"}'], () => true)),
    };
    expect(faultsOf(await calls[name](), proxy)).toEqual([]);
  });
});
