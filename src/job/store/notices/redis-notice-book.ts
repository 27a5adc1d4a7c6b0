import type { SourceId } from "../../contracts/ids.ts";
import type { DigestBase, Notice, NoticeBook } from "../../contracts/notices.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";

/** What was told is forgotten if nothing changes for so long. */
const lifeMs = 30 * 86_400_000;
/** Fields of the hash, most of them notices on their way. A target that is away for an hour leaves fewer. */
const maxFields = 1_000;

/**
 * One hash per source:
 *
 *   version, memory             what was told (JSON), and how often that changed
 *   digest/<target>             what its next digest counts from (JSON)
 *   out/<target>/<notice id>    a notice on its way (JSON)
 *
 * KEYS: 1 the hash. ARGV: 1 the version that was read, 2 the memory, 3 life in ms, 4 the most fields, then field and text
 * of each new notice. Returns: how many notices were left out because there are too many, or -1 if the version has changed.
 * Effects: version + 1, the memory and the notices. Run twice: the second time the version has changed.
 */
const replaceScript = luaScript("notices:replace")`
if tonumber(redis.call('HGET', KEYS[1], 'version') or '0') ~= tonumber(ARGV[1]) then return -1 end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'memory', ARGV[2])
local leftOut = 0
for i = 5, #ARGV, 2 do
  if redis.call('HLEN', KEYS[1]) < tonumber(ARGV[4]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  else
    leftOut = leftOut + 1
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return leftOut
`;

/**
 * KEYS: 1 the hash. ARGV: 1 the field of the base, 2 its text as it was read ('' for none), 3 the new text, 4 life in
 * ms, then field and text of a notice, if there is one. Returns: 1, or 0 if the base has changed, as it has if run twice.
 */
const digestScript = luaScript("notices:digest")`
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
if ARGV[5] then redis.call('HSET', KEYS[1], ARGV[5], ARGV[6]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`;

export function createRedisNoticeBook<Memory>(redis: StoreRedis, sourceId: SourceId): NoticeBook<Memory> {
  const key = sourceKey(redis.keyPrefix, sourceId, "notices");
  return {
    async read() {
      const entries = toHashEntries(await redis.command("HGETALL", key));
      const { version = "0", memory } = Object.fromEntries(entries) as Readonly<Record<string, string>>;
      const fields = entries.map(([field]) => field);
      return {
        version: Number(version),
        memory: memory === undefined ? null : (JSON.parse(memory) as Memory),
        pending: targetsOf("out", fields),
        digests: targetsOf("digest", fields),
        waiting: (target) =>
          entries
            .filter(([field]) => field.startsWith(outField(target, "")))
            .map(([, text]) => JSON.parse(text) as Notice)
            .toSorted((one, other) => one.at - other.at || one.id.localeCompare(other.id)),
      };
    },
    async replace(version, memory, notices) {
      const out = notices.flatMap(({ target, notice }) => toOut(target, notice));
      const args = [version, JSON.stringify(memory), lifeMs, maxFields, ...out];
      const leftOut = Number(await redis.run(replaceScript, [key], args));
      return leftOut < 0 ? { kind: "changed" } : { kind: "replaced", leftOut };
    },
    async remove(target, ids) {
      if (ids.length > 0) await redis.command("HDEL", key, ...ids.map((id) => outField(target, id)));
    },
    async digestBase(target) {
      const text = (await redis.command("HGET", key, `digest/${target}`)) as string | null;
      return text === null ? null : (JSON.parse(text) as DigestBase);
    },
    async replaceDigestBase(target, before, base, digest) {
      const args = [`digest/${target}`, before === null ? "" : toText(before), toText(base), lifeMs];
      const out = digest === null ? [] : toOut(target, digest);
      return (await redis.run(digestScript, [key], [...args, ...out])) === 1;
    },
  };
}

/** The same text for the same base: it is compared. */
function toText({ at, published, failedAgain }: DigestBase): string {
  return JSON.stringify({ at, published, failedAgain });
}

function outField(target: string, id: string): string {
  return `out/${target}/${id}`;
}

function toOut(target: string, notice: Notice): readonly string[] {
  return [outField(target, notice.id), JSON.stringify(notice)];
}

function targetsOf(kind: "out" | "digest", fields: readonly string[]): readonly string[] {
  const names = fields.map((field) => field.split("/")).filter(([first]) => first === kind);
  return [...new Set(names.map(([, target = ""]) => target))];
}
