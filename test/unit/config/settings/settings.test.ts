import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/people/console/api/refusal.ts";
import { screens } from "../../../../src/people/console/screens/screens.ts";
import {
  settingNames,
  settingRows,
  toEnvName,
  type SettingName,
} from "../../../../src/config/settings/settings-table.ts";
import { useSettings } from "../../../support/settings.ts";

const { load, path, problemsOf, write } = useSettings();
const settingsFile = (text: string): string => write("settings.yaml", text);

describe("settings", () => {
  it("can each be set by their environment name: their default, as a text, changes nothing", () => {
    const given = settingNames.flatMap((name) => {
      const { default: fallback } = settingRows[name];
      return fallback === null ? [] : [[toEnvName(name), String(fallback)] as const];
    });
    expect(given.length).toBeGreaterThan(50);
    const { redis, ...others } = load({});
    expect(load({ env: Object.fromEntries(given) })).toEqual({
      ...others,
      redis: { ...redis, isGiven: true },
    });
  });

  it("may go up to their bounds", () => {
    const env = { REDRIVER_SERVICE_MAX_ANSWER_BYTES: "512MiB", REDRIVER_SWEEP_EVERY: "7d" };
    expect(load({ env })).toMatchObject({
      service: { maxAnswerBytes: 536_870_912 },
      sweep: { everyMs: 604_800_000 },
    });
  });

  it("treat an empty variable as unset", () => {
    expect(load({ env: { REDRIVER_HTTP_PORT: "", REDRIVER_SERVICE_TOKEN: "", QSTASH_URL: "" } })).toEqual(
      load({}),
    );
  });
});

describe("names people have already", () => {
  const qstash = { QSTASH_URL: "https://qstash.example/v2/publish/", QSTASH_TOKEN: "qtoken" };

  it("stand in where the settings are unset", () => {
    expect(load({ env: qstash }).service).toMatchObject({ url: "https://qstash.example", token: "qtoken" });
    expect(load({ env: { ...qstash, REDRIVER_SERVICE_TOKEN: "own" } }).service.token).toBe("own");
    const { service } = load({ env: { ...qstash, REDRIVER_SERVICE_TOKEN_FILE: "/t" } });
    expect(service).toMatchObject({ token: undefined, tokenFile: "/t" });
  });

  it("name the forward proxy, in capitals or not", () => {
    const env = { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: "localhost, .svc,10.0.0.0/8" };
    const proxy = { url: "http://proxy.example:3128/", except: ["localhost", ".svc", "10.0.0.0/8"] };
    expect(load({ env }).proxy).toEqual(proxy);
    const small = { https_proxy: "http://u:p%40@proxy.example:3128/", no_proxy: "*" };
    expect(load({ env: small }).proxy).toEqual({ url: "http://u:p%40@proxy.example:3128/", except: ["*"] });
    const own = { ...env, REDRIVER_PROXY_URL: "http://own.example:8080" };
    expect(load({ env: own }).proxy).toEqual({ ...proxy, url: "http://own.example:8080/" });
  });

  it.each([
    "https://proxy.example",
    "socks5://proxy.example:1080",
    "http://u:hunter2%@proxy.example",
    "http://p/x",
  ])("refuse %s as a forward proxy", (HTTPS_PROXY) => {
    expect(problemsOf({ env: { HTTPS_PROXY } })).toEqual([
      'proxy.url (HTTPS_PROXY): expected the address of a proxy for CONNECT, such as "http://proxy.example.com:3128" or "http://user:password@proxy.example.com:3128"',
    ]);
  });

  it("are named where they are wrong, and not repeated", () => {
    expect(problemsOf({ env: { QSTASH_URL: "https://u:hunter2@h/" } })).toEqual([
      'service.url (QSTASH_URL): expected an http(s) address without spaces, user, query and fragment, such as "https://qstash.upstash.io"',
    ]);
  });
});

const either = (name: string): string => `expected either ${name} or ${name}File, got both`;
const otherThan = (port: number): string =>
  `expected another port than http.port (${port}), or 0 for any free one, got the same`;

const because = (what: string, why: string): string => `expected ${what}, because console.${why}, got none`;

const consolePort = (other: number) =>
  `expected another port than http.port (9466) and callback.port (${other}), 0 or none, got the same`;

describe("settings with mistakes", () => {
  it("are told all at once, each with the place it comes from", () => {
    const file = settingsFile("http:\n  port: 70000\n  hots: a\nsweep: { every: 5 }\nextra: { a: 1 }\n");
    expect(
      problemsOf({
        file,
        env: { REDRIVER_LOG_LEVEL: "loud", REDRIVER_HTPP_PORT: "1" },
        flags: { "publish.maxItems": "101", "publish.maxItem": 1 },
      }),
    ).toEqual([
      'settings.yaml:3:3 http: unknown setting "hots"; did you mean "host"? expected one of host, port',
      expect.stringMatching(
        /^settings\.yaml:5:1: unknown setting "extra"; expected one of service, proxy, redis, /,
      ),
      'environment: unknown environment variable "REDRIVER_HTPP_PORT"; did you mean "REDRIVER_HTTP_PORT"? expected the name of a setting',
      'flags: unknown setting "publish.maxItem"; did you mean "publish.maxItems"? expected the name of a setting',
      "settings.yaml:2:9 http.port: expected a whole number from 0 to 65535, got 70000",
      expect.stringMatching(/^log\.level \(REDRIVER_LOG_LEVEL\): expected one of .*, got "loud"$/),
      'publish.maxItems (flag): expected a whole number from 1 to 100, got "101"',
      'settings.yaml:4:17 sweep.every: expected a duration of at least 100ms and at most 7d, such as "30s", got 5',
    ]);
  });

  it.each([
    ["REDRIVER_SERVICE_HEADER_PREFIX", "Up stash-"],
    ["REDRIVER_SERVICE_URL", "https://a.example/eu west"],
    ["REDRIVER_SERVICE_MAX_ANSWER_BYTES", "536870913"],
    ["REDRIVER_SWEEP_EVERY", "8d"],
    ["REDRIVER_LINEAGE_KEY", "k".repeat(15)],
    ["REDRIVER_LINEAGE_OLD_KEYS", `${"a".repeat(16)},b`],
    ["REDRIVER_SERVICE_TOKEN", "a\r\nX-Evil: 1"],
    ["REDRIVER_REDIS_URL", "redis://a/b"],
    ["REDRIVER_REDIS_KEY_PREFIX", "a:b"],
    ["REDRIVER_HTTP_PORT", "0x50"],
    ["REDRIVER_HTTP_HOST", "a\u0000b"],
    ["REDRIVER_LEDGER_SEND_BY", "15"],
    ["REDRIVER_PUBLISH_ALLOW_HOSTS", "api.example.com, https://b.example"],
    ["REDRIVER_PUBLISH_ALLOW_SCHEMES", "https, ftp"],
    ["REDRIVER_PUBLISH_ALLOW_PRIVATE", "true"],
    ["REDRIVER_PUBLISH_MAX_BYTES", "4MB"],
    ["REDRIVER_DRAINS_FILE", "a".repeat(5_000)],
    ["REDRIVER_CONSOLE_ROLE", "root"],
    ["REDRIVER_CONSOLE_PROXIES", "10.0.0.0/33"],
    ["REDRIVER_CONSOLE_USER_HEADER", "X Forwarded"],
    ["REDRIVER_CONSOLE_HOSTS", "https://redriver.example.com"],
    ["REDRIVER_CONSOLE_BADGE", "b".repeat(41)],
    ["REDRIVER_CONSOLE_BADGE_COLOR", "#ff0000"],
  ])("%s=%j is refused", (name, value) => {
    const problems = problemsOf({ env: { [name]: value } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`(${name}): expected `);
    expect(problems[0]?.length).toBeLessThan(300);
  });

  it.each<[Record<string, string>, SettingName, string]>([
    [{ SERVICE_TOKEN: "a", SERVICE_TOKEN_FILE: "/" }, "service.tokenFile", either("service.token")],
    [{ LINEAGE_KEY: "a".repeat(16), LINEAGE_KEY_FILE: "/a" }, "lineage.keyFile", either("lineage.key")],
    [{ HTTP_PORT: "9000", CALLBACK_PORT: "9000" }, "callback.port", otherThan(9000)],
    [{ CONSOLE_PORT: "9466" }, "console.port", consolePort(9467)],
    [{ CONSOLE_HOST: "0.0.0.0" }, "console.auth", because("token or headers", "host is no loopback address")],
    [{ CONSOLE_AUTH: "token" }, "console.tokenFile", because("a file", "auth is token")],
    [{ CONSOLE_AUTH: "headers" }, "console.proxies", because("addresses", "auth is headers")],
    [{ SHUTDOWN_HARD: "10s" }, "shutdown.hard", "expected at least shutdown.soft (20s), got 10s"],
  ])("that do not go together are refused: %j", (given, setting, problem) => {
    const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [`REDRIVER_${name}`, value]));
    expect(problemsOf({ env })).toEqual([`${setting} (${toEnvName(setting)}): ${problem}`]);
  });

  it.each([
    ["service: abc", "settings.yaml:1:10 service: expected a mapping, got a string"],
    ["- a", "settings.yaml:1:1: expected a mapping, got a list"],
    ["http: { port: { a: 1 } }", "settings.yaml:1:15 http.port: expected a single value, got a mapping"],
    [
      "http.port: 1",
      'settings.yaml:1:1: unknown setting "http.port"; expected one of service, proxy, redis, drains, http, socket, callback, console, log, lineage, ledger, publish, windows, memory, sweep, shutdown, passes, statistics',
    ],
    ["http: { port: 1, port: 2 }", 'settings.yaml:1:18 http: duplicate key "port"'],
    [
      "service: { token: '[set]' }",
      "settings.yaml:1:19 service.token: expected the value itself, not the mark that stands for it where settings are shown",
    ],
    ["constructor: { prototype: { polluted: 1 } }", 'settings.yaml:1:1: "constructor" cannot be a name'],
  ])("in a file: %s", (text, problem) => {
    expect(problemsOf({ file: settingsFile(text) })).toEqual([problem]);
  });

  it("tell why a file cannot be read", () => {
    expect(problemsOf({ file: path("missing.yaml") })).toEqual([
      "missing.yaml: expected a readable settings file (REDRIVER_CONFIG_FILE, --config): it does not exist",
    ]);
    expect(problemsOf({ file: path() })[0]).toContain("expected a regular file, got a directory");
    const latin1 = write("latin1.yaml", Buffer.from([0x61, 0xe9]));
    expect(problemsOf({ file: latin1 })[0]).toContain("it is not UTF-8 text (line ");
  });
});

describe("a file of settings", () => {
  it("may be JSON, may be empty, and may leave values out", () => {
    expect(load({ file: settingsFile('{"http": {"port": 1}}') }).http.port).toBe(1);
    expect(load({ file: settingsFile("") })).toEqual(load({}));
    expect(load({ file: settingsFile("http:\nlog:\n  level:\n") })).toEqual(load({}));
    const oldKeys = ["a".repeat(16), "b".repeat(16)];
    expect(load({ file: settingsFile(`lineage: { oldKeys: [${oldKeys.join()}] }`) }).lineage).toMatchObject({
      oldKeys,
    });
  });
});

describe("the console's settings", () => {
  it("turn it off with console: none, or console.port none, and take it back by the environment", () => {
    expect(load({ file: settingsFile("console: none") }).console.port).toBeNull();
    expect(load({ file: settingsFile("console: { port: none }") }).console.port).toBeNull();
    const env = { REDRIVER_CONSOLE_PORT: "9000" };
    expect(load({ env, file: settingsFile("console: none") }).console.port).toBe(9_000);
    expect(problemsOf({ file: settingsFile("console: off") })).toEqual([
      "settings.yaml:1:10 console: expected a mapping, got a string",
    ]);
  });

  it.each(["::1", "127.8.0.1", "localhost"])("let %s be open to all who reach it", (host) => {
    expect(load({ env: { REDRIVER_CONSOLE_HOST: host } }).console).toMatchObject({ host, auth: "none" });
  });

  it.each([
    ["/", ""],
    ["/redriver/", "/redriver"],
    ["/tools/redriver-2.0_b~", "/tools/redriver-2.0_b~"],
    ["/tools/failures", "/tools/failures"],
  ])("take the path %s as %j", (text, basePath) => {
    expect(load({ env: { REDRIVER_CONSOLE_BASE_PATH: text } }).console.basePath).toBe(basePath);
  });

  const noPaths = ["redriver", "//redriver", "/red//river", "/redriver//", "/a/./b"];
  const noSigns = ["/a b", "/a?b", "/a%2Fb", "/a;b", '/a"b', "/a\\b", "/ä", "/a\n"];
  it.each([
    ...noPaths,
    ...noSigns,
    `/${"a".repeat(255)}`,
    ...[...screens.map(({ path }) => path), "/acts", apiPath, "/assets", "/live", "/sign-in"]
      .filter((path) => path !== "/")
      .map((path) => `${path.replaceAll(":", "")}/x`),
  ])("refuse the path %j", (text) => {
    expect(problemsOf({ env: { REDRIVER_CONSOLE_BASE_PATH: text } })).toEqual([
      expect.stringMatching(
        /^console\.basePath \(REDRIVER_CONSOLE_BASE_PATH\): expected a path such as "\/redriver", /,
      ),
    ]);
  });

  it("may listen anywhere if it knows who asks, or if it is off", () => {
    const anywhere = { REDRIVER_CONSOLE_HOST: "::" };
    const auth = { REDRIVER_CONSOLE_AUTH: "headers", REDRIVER_CONSOLE_PROXIES: "127.0.0.1" };
    expect(load({ env: { ...anywhere, ...auth } }).console.auth).toBe("headers");
    expect(load({ env: { ...anywhere, REDRIVER_CONSOLE_PORT: "none" } }).console.port).toBeNull();
  });
});

describe("a hostile environment", () => {
  it("is told by name where a variable is no setting", () => {
    const env = { REDRIVER___PROTO__: "1", REDRIVER_: "1", redriver_http_port: "1", PATH: "/bin" };
    expect(problemsOf({ env })).toHaveLength(2);
  });

  it("cannot put control characters into a message", () => {
    const [problem = ""] = problemsOf({ env: { REDRIVER_LOG_LEVEL: "\u001b[2J\nfake line\u009b\u202e" } });
    // oxlint-disable-next-line no-control-regex
    expect(problem).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });

  it("may hold the tests' Redis, and what Kubernetes adds for Services of the namespace", () => {
    const env = {
      REDRIVER_TEST_REDIS_URL: "redis://h",
      REDRIVER_SERVICE_HOST: "10.0.0.1",
      REDRIVER_SERVICE_PORT: "9466",
      REDRIVER_SERVICE_PORT_HTTP: "9466",
      REDRIVER_PORT: "tcp://10.0.0.1:9466",
      REDRIVER_PORT_9466_TCP_ADDR: "10.0.0.1",
      REDRIVER_HTTP_SERVICE_HOST: "10.0.0.2",
      REDRIVER_HTTP_PORT: "tcp://10.0.0.2:80",
    };
    expect(load({ env })).toEqual(load({}));
    expect(problemsOf({ env: { ...env, REDRIVER_PORT_X: "1" } })).toHaveLength(1);
    expect(problemsOf({ env: { REDRIVER_SERVICE_HOST: "10.0.0.1" } })).toHaveLength(1);
    expect(problemsOf({ env: { REDRIVER_PORT: "9000" } })[0]).toContain("REDRIVER_PORT");
  });
});
