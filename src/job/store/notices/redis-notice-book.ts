import type { SourceId } from "../../contracts/ids.ts";
import type { Notice, NoticeBook } from "../../contracts/notices.ts";
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
        pending: [...new Set(fields.flatMap(targetIn))],
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
  };
}

function outField(target: string, id: string): string {
  return `out/${target}/${id}`;
}

function toOut(target: string, notice: Notice): readonly string[] {
  return [outField(target, notice.id), JSON.stringify(notice)];
}

function targetIn(field: string): readonly string[] {
  const [kind, target = ""] = field.split("/");
  return kind === "out" ? [target] : [];
}
