import { describe, expect, test } from "vitest";
import type { Failure } from "../../../../src/job/contracts/errors.ts";
import { createRedisWatch } from "../../../../src/job/queue/redis-watch.ts";
import { toCallError, toQueueFailure } from "../../../../src/job/queue/translate-error.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { recordEvents } from "../../../support/queue-redis.ts";

function reply(message: string): Error {
  const error = new Error(message);
  error.name = "ReplyError";
  return error;
}

/** In the words of Redis 7, ioredis 6 and bullmq 6. */
const told: readonly (readonly [code: Failure["code"], name: string, message: string])[] = [
  ["redis-unavailable", "ReplyError", "OOM command not allowed when used memory > 'maxmemory'."],
  ["redis-unavailable", "ReplyError", "READONLY You can't write against a read only replica."],
  ["redis-unavailable", "ReplyError", "LOADING Redis is loading the dataset in memory"],
  ["redis-unavailable", "ReplyError", "MASTERDOWN Link with MASTER is down"],
  ["redis-unavailable", "ReplyError", "CLUSTERDOWN Hash slot not served"],
  ["redis-unavailable", "ReplyError", "TRYAGAIN Multiple keys request during rehashing of slot"],
  ["redis-unavailable", "ReplyError", "NOREPLICAS Not enough good replicas to write."],
  ["redis-unavailable", "ReplyError", "UNBLOCKED force unblock from blocking operation, state changed"],
  ["redis-unavailable", "ReplyError", "NOSCRIPT No matching script. Please use EVAL."],
  ["redis-unavailable", "ReplyError", "MISCONF Redis is configured to save RDB snapshots"],
  ["redis-unavailable", "ReplyError", "BUSY Redis is busy running a script."],
  ["redis-unavailable", "ReplyError", "EXECABORT Transaction discarded because of previous errors."],
  ["redis-unavailable", "ReplyError", "ERR max number of clients reached"],
  ["redis-unavailable", "ReplyError", "ERR user_script:12: attempt to index a nil value"],
  ["redis-unavailable", "Error", "Command timed out"],
  ["redis-unavailable", "Error", "Cluster is disconnected."],
  ["redis-unavailable", "Error", "Failed to refresh slots cache."],
  ["redis-unavailable", "Error", "Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN"],
  ["redis-unavailable", "Error", "Too many Cluster redirections. Last error: ReplyError: MOVED 866 a:7001"],
  ["redis-unavailable", "Error", "Too many Cluster redirections. Last error: Error: timeout"],
  ["redis-unavailable", "Error", "Failed to add repeatable job for next iteration: OOM command not allowed"],
  ["redis-unavailable", "Error", "Failed to add repeatable job for next iteration: Command timed out"],
  ["redis-unsuitable", "ReplyError", "NOPERM User redriver has no permissions to run the 'xadd' command"],
  ["redis-unsuitable", "ReplyError", "NOAUTH Authentication required."],
  ["redis-unsuitable", "ReplyError", "MOVED 866 127.0.0.1:7001"],
  ["ledger-lost-writes", "Error", "Missing key for job window/p/w1. moveToFinished"],
  ["stopped", "Error", "Missing lock for job window/p/w1. moveToFinished"],
  ["stopped", "Error", "Lock mismatch for job window/p/w1. Cmd moveToFinished from active"],
  ["stopped", "Error", "could not renew lock for job window/p/w1"],
  ["stopped", "Error", "Job window/p/w1 is not in the active state. moveToDelayed"],
  [
    "stopped",
    "Error",
    "Failed to add repeatable job for next iteration: Cannot create job scheduler iteration - job ID already exists. addJobScheduler",
  ],
  ["unexpected", "TypeError", "somebody's body is not iterable"],
  ["unexpected", "Error", "JSON is not what it was"],
];

describe("an error of the queue's library", () => {
  test.each(told)("is told as %s: %s, %s", (code, name, message) => {
    const failure = toQueueFailure(Object.assign(new Error(message), { name }));
    expect(failure.code).toBe(code);
    expect(failure.message).not.toContain("somebody");
  });

  test("has the words of a refusal and what to do about it, and none of its arguments", () => {
    const refused = reply("OOM command not allowed, script: 6f2, on @user_script:3, 'somebody'");
    expect(toQueueFailure(refused).message).toMatch(/^Redis refused: OOM; maxmemory is reached; raise it/);
    expect(toCallError(refused, "windows")).toMatchObject({
      code: "redis-unavailable",
      message: expect.stringMatching(/^windows: Redis refused: OOM; maxmemory is reached/) as string,
      cause: refused,
    });
    expect(toQueueFailure(reply("NOAUTH no")).message).toContain("it asks for a password");
    expect(toQueueFailure(reply("WRONGPASS no")).message).toContain("does not know this user");
    // A node that is down is led to as often as one that gives its slot away.
    const led = new Error("Too many Cluster redirections. Last error: ReplyError: MOVED 866 a:7001");
    expect(toQueueFailure(led).message).toContain("or its node is away; see CLUSTER NODES");
    expect(toCallError(reply("NOPERM no"), "tick")).toMatchObject({ code: "redis-unsuitable" });
    expect(toCallError(new Error("Command timed out"), "tick")).toMatchObject({ code: "redis-unavailable" });
  });

  test("is told once a minute for each code, and not at all where it only says that there is no connection", () => {
    const clock = createManualClock();
    const events = recordEvents();
    const watch = createRedisWatch([], events, clock);
    const codes = (): readonly string[] => events.of("job:failed").map(({ code }) => code);
    const sentinels = "All sentinels are unreachable. Retrying from scratch after 50ms.";
    for (const text of ["Connection is closed.", "connect ECONNREFUSED 127.0.0.1:6379", sentinels]) {
      watch.onError(new Error(text));
    }
    expect(codes()).toEqual([]);
    watch.onError(reply("OOM no"));
    watch.onError(reply("READONLY no"));
    watch.onError(new Error("could not renew lock for job x"));
    expect(codes()).toEqual(["redis-unavailable", "stopped"]);
    clock.advance(60_000);
    watch.onError(reply("OOM no"));
    expect(codes()).toEqual(["redis-unavailable", "stopped", "redis-unavailable"]);
  });
});
