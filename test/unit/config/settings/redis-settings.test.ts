import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { showEffectiveSettings } from "../../../../src/config/settings/settings-file.ts";
import type { SettingsInput } from "../../../../src/config/settings/load-settings.ts";
import { createSecretsToRedact } from "../../../../src/people/cli/output/secrets-to-redact.ts";
import { testCertificate, testCertificateKey } from "../../../support/service-certificate.ts";
import { useSettings } from "../../../support/settings.ts";

const { load, problemsOf, write } = useSettings();
const targetOf = (env: SettingsInput["env"]) => load({ env }).redis.target;

const sentinel = {
  REDRIVER_REDIS_SENTINELS: "10.0.0.1:26379, [::1]:26380",
  REDRIVER_REDIS_SENTINEL_NAME: "main",
};
const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

describe("where Redis is", () => {
  it("is one server, without more", () => {
    expect(targetOf({})).toMatchObject({ sentinel: undefined, cluster: undefined, ca: undefined });
  });

  it("is what Sentinels say, with a login of their own, which is not shown", () => {
    const file = write("sentinel-password", "hush\n");
    const login = { REDRIVER_REDIS_SENTINEL_USER: "hunter", REDRIVER_REDIS_SENTINEL_PASSWORD_FILE: file };
    const settings = load({ env: { ...sentinel, ...login } });
    const nodes = ["10.0.0.1:26379", "[::1]:26380"];
    expect(settings.redis.target.sentinel).toEqual({ nodes, name: "main", user: "hunter", password: "hush" });
    expect(showEffectiveSettings(settings)).toContain("10.0.0.1:26379");
    expect(showEffectiveSettings(settings)).not.toMatch(/hunter|hush\b/);
  });

  it("is a cluster, with more nodes to start from", () => {
    expect(targetOf({ REDRIVER_REDIS_CLUSTER: "true" }).cluster).toEqual([]);
    const nodes = { REDRIVER_REDIS_CLUSTER: "true", REDRIVER_REDIS_CLUSTER_NODES: "b:6379,c:6379" };
    expect(targetOf(nodes).cluster).toEqual(["b:6379", "c:6379"]);
  });

  it("has a password in its user part or in its query, and neither is ever shown", () => {
    for (const url of ["redis://:p%40ss-word@h", "redis://h?password=p%40ss-word"]) {
      const settings = load({ env: { REDRIVER_REDIS_URL: url } });
      expect(createSecretsToRedact(settings).all()).toContain("p@ss-word");
      expect(showEffectiveSettings(settings)).not.toMatch(/ss-word/);
    }
  });

  it("has its certificate's signer read from a file", () => {
    const file = write("ca.pem", `${certificate}\n`);
    const env = { REDRIVER_REDIS_URL: "rediss://h", REDRIVER_REDIS_CA_FILE: file };
    expect(targetOf(env)).toMatchObject({ ca: certificate });
  });
});

const written = (text: string): string => write("file.pem", text);
const otherKey = (passphrase?: string): string =>
  generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: {
      type: "pkcs8",
      format: "pem",
      ...(passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase }),
    },
  }).privateKey;

describe("a certificate of our own", () => {
  let pair: { readonly certFile: string; readonly keyFile: string };
  beforeAll(() => {
    pair = { certFile: write("redis.pem", testCertificate), keyFile: write("redis.key", testCertificateKey) };
  });
  const env = (more: Readonly<Record<string, string>>) => ({
    REDRIVER_REDIS_URL: "rediss://h",
    REDRIVER_REDIS_CERT_FILE: pair.certFile,
    REDRIVER_REDIS_KEY_FILE: pair.keyFile,
    ...more,
  });
  it("is read from its files, with its key, and shown by their names alone", () => {
    const settings = load({ env: env({}) });
    const key = readFileSync(pair.keyFile, "utf8").trim();
    const cert = readFileSync(pair.certFile, "utf8").trim();
    expect(settings.redis).toMatchObject({ keyFile: pair.keyFile, target: { cert, key } });
    const shown = showEffectiveSettings(settings);
    expect(shown).toContain(pair.keyFile);
    expect(shown).not.toContain("PRIVATE KEY");
    expect(createSecretsToRedact(settings).all()).toContain(key);
  });

  const noKey = "expected a readable file that holds a private key as PEM";
  const noCertificate = "expected a readable file that holds a certificate as PEM";
  it.each<[string, "CERT" | "KEY", () => string, string]>([
    ["without its key", "KEY", () => "", "expected redis.keyFile beside redis.certFile, got none"],
    ["as a key alone", "CERT", () => "", "expected redis.certFile beside redis.keyFile, got none"],
    ["with the key of another", "KEY", () => written(otherKey()), "got another one"],
    ["with a locked key", "KEY", () => written(otherKey("hush")), `${noKey}, without a passphrase`],
    ["with its files the wrong way round", "CERT", () => pair.keyFile, noCertificate],
    ["that is cut off", "CERT", () => written(testCertificate.slice(0, 200)), noCertificate],
    ["without that file", "KEY", () => "/nowhere", `redis.keyFile (REDRIVER_REDIS_KEY_FILE): ${noKey}`],
  ])("%s is told by its setting, and nothing of the files is", (_name, which, file, words) => {
    const problems = problemsOf({ env: env({ [`REDRIVER_REDIS_${which}_FILE`]: file() }) });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(problems[0]).not.toMatch(/hush|BEGIN|[A-Za-z0-9+/]{30}/);
  });

  it("is for TLS", () => {
    const problems = problemsOf({ env: env({ REDRIVER_REDIS_URL: "redis://h" }) });
    expect(problems).toEqual([
      expect.stringContaining("expected a redis.url with rediss:// beside redis.certFile"),
      expect.stringContaining("expected a redis.url with rediss:// beside redis.keyFile"),
    ]);
  });
});

const tls = "rediss://h";
const named = { SENTINEL_NAME: "main" };
const sentinels = { ...named, SENTINELS: "a:1" };
const password = { SENTINEL_PASSWORD: "hush" };
const twice = { ...password, SENTINEL_PASSWORD_FILE: "/nowhere" };

describe("contradictions are told by name", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["a cluster too", { ...sentinels, CLUSTER: "true" }, "either redis.cluster or redis.sentinels, got both"],
    ["no name", { SENTINELS: "a:1" }, "expected redis.sentinelName beside redis.sentinels, got none"],
    ["a name alone", named, "expected redis.sentinels beside redis.sentinelName, got none"],
    ["twice", { ...sentinels, ...twice }, "either redis.sentinelPassword or redis.sentinelPasswordFile"],
    ["nodes without it", { CLUSTER_NODES: "a:1" }, "expected redis.cluster true beside redis.clusterNodes"],
    ["its database", { CLUSTER: "true", URL: "redis://h/3" }, "expected no database number beside"],
    ["no TLS", { URL: "redis://h", CA_FILE: certificate }, "a redis.url with rediss:// beside redis.caFile"],
    ["no certificate", { URL: tls, CA_FILE: "hush" }, "a readable file that holds certificates as PEM"],
    ["a Sentinel without a port", { ...named, SENTINELS: "a" }, "redis.sentinels"],
    ["a cluster that is maybe one", { CLUSTER: "yes" }, "expected true or false"],
  ])("%s", (_name, given, words) => {
    const env = Object.entries(given).map(([name, value]) => [
      `REDRIVER_REDIS_${name}`,
      name === "CA_FILE" ? write("ca.pem", value) : value,
    ]);
    const problems = problemsOf({ env: Object.fromEntries(env) });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(problems[0]).not.toContain("hush");
  });
});
