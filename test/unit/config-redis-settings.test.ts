import { describe, expect, it } from "vitest";
import { formatProblem } from "../../src/config/problem.ts";
import { describeSettings } from "../../src/config/settings/describe-settings.ts";
import { loadSettings, type SettingsInput } from "../../src/config/settings/load-settings.ts";
import { createFolder } from "../support/command.ts";

const load = (env: SettingsInput["env"]) => {
  const outcome = loadSettings({ env, flags: {} });
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return outcome.settings.redis;
};
const problemsOf = (env: SettingsInput["env"]): readonly string[] => {
  const outcome = loadSettings({ env, flags: {} });
  return outcome.ok ? [] : outcome.problems.map(formatProblem);
};

const sentinel = {
  REDRIVER_REDIS_SENTINELS: "10.0.0.1:26379, [::1]:26380",
  REDRIVER_REDIS_SENTINEL_NAME: "main",
};
const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

describe("where Redis is", () => {
  it("is one server, without more", () => {
    expect(load({})).toMatchObject({ sentinel: undefined, cluster: undefined, ca: undefined });
  });

  it("is what Sentinels say, with a login of their own", () => {
    const file = createFolder().write("sentinel-password", "hush\n");
    expect(
      load({ ...sentinel, REDRIVER_REDIS_SENTINEL_USER: "me", REDRIVER_REDIS_SENTINEL_PASSWORD_FILE: file }),
    ).toMatchObject({
      sentinel: {
        nodes: ["10.0.0.1:26379", "[::1]:26380"],
        name: "main",
        user: "me",
        password: "hush",
      },
    });
  });

  it("is a cluster, with more nodes to start from", () => {
    expect(load({ REDRIVER_REDIS_CLUSTER: "true" }).cluster).toEqual([]);
    const nodes = { REDRIVER_REDIS_CLUSTER: "true", REDRIVER_REDIS_CLUSTER_NODES: "b:6379,c:6379" };
    expect(load(nodes).cluster).toEqual(["b:6379", "c:6379"]);
  });

  it("has its certificate's signer read from a file", () => {
    const file = createFolder().write("ca.pem", `${certificate}\n`);
    const env = { REDRIVER_REDIS_URL: "rediss://h", REDRIVER_REDIS_CA_FILE: file };
    expect(load(env)).toMatchObject({ caFile: file, ca: certificate });
  });
});

const caFile = (text: string): string => createFolder().write("ca.pem", text);

describe("contradictions are told by name", () => {
  it.each<[string, () => SettingsInput["env"], string]>([
    [
      "Sentinels and a cluster",
      () => ({ ...sentinel, REDRIVER_REDIS_CLUSTER: "true" }),
      "either redis.cluster or redis.sentinels, got both",
    ],
    [
      "Sentinels without a name",
      () => ({ REDRIVER_REDIS_SENTINELS: "a:1" }),
      "expected redis.sentinelName beside redis.sentinels, got none",
    ],
    [
      "a name without Sentinels",
      () => ({ REDRIVER_REDIS_SENTINEL_NAME: "main" }),
      "expected redis.sentinels beside redis.sentinelName, got none",
    ],
    [
      "a password without Sentinels",
      () => ({ REDRIVER_REDIS_SENTINEL_PASSWORD: "hush" }),
      "expected redis.sentinels beside redis.sentinelPassword, got none",
    ],
    [
      "a password twice",
      () => ({
        ...sentinel,
        REDRIVER_REDIS_SENTINEL_PASSWORD: "hush",
        REDRIVER_REDIS_SENTINEL_PASSWORD_FILE: "/nowhere",
      }),
      "either redis.sentinelPassword or redis.sentinelPasswordFile, got both",
    ],
    [
      "nodes of no cluster",
      () => ({ REDRIVER_REDIS_CLUSTER_NODES: "a:1" }),
      "expected redis.cluster true beside redis.clusterNodes, got false",
    ],
    [
      "a database of a cluster",
      () => ({ REDRIVER_REDIS_CLUSTER: "true", REDRIVER_REDIS_URL: "redis://h/3" }),
      "expected no database number beside redis.cluster",
    ],
    [
      "a signer without TLS",
      () => ({ REDRIVER_REDIS_URL: "redis://h", REDRIVER_REDIS_CA_FILE: caFile(certificate) }),
      "expected a redis.url with rediss:// beside redis.caFile",
    ],
    [
      "a signer's file that holds something else",
      () => ({ REDRIVER_REDIS_URL: "rediss://h", REDRIVER_REDIS_CA_FILE: caFile("hush") }),
      "expected a readable file that holds certificates as PEM",
    ],
    ["a Sentinel without a port", () => ({ ...sentinel, REDRIVER_REDIS_SENTINELS: "a" }), "redis.sentinels"],
    [
      "a Sentinel with a login",
      () => ({ ...sentinel, REDRIVER_REDIS_SENTINELS: "u:p@a:1" }),
      "redis.sentinels",
    ],
    ["a cluster that is maybe one", () => ({ REDRIVER_REDIS_CLUSTER: "yes" }), "expected true or false"],
  ])("%s", (_name, env, words) => {
    const problems = problemsOf(env());
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(problems[0]).not.toContain("hush");
  });
});

it("what is in effect is shown without the Sentinels' login", () => {
  const env = {
    ...sentinel,
    REDRIVER_REDIS_SENTINEL_USER: "hunter1",
    REDRIVER_REDIS_SENTINEL_PASSWORD: "hunter2",
  };
  const outcome = loadSettings({ env, flags: {} });
  const shown = outcome.ok ? describeSettings(outcome.settings) : "";
  expect(shown).toContain("10.0.0.1:26379");
  expect(shown).toContain('sentinelPassword: "[set]"');
  expect(shown).not.toContain("hunter");
});
