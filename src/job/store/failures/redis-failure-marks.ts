import {
  marksKeptMs,
  type FailureMark,
  type FailureMarks,
  type FailureNote,
  type FailureOwner,
  type FailureQuiet,
} from "../../contracts/failures.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { luaScript } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";
import { sourceKeys } from "../keys.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { toRecorded, type StoredFailure } from "./redis-failure-book.ts";

/** At most 551 kinds are recorded, so one that was forgotten is always there to make room. */
const maxMarks = 1_000;

/** As scripts keep it. Times are Redis time, Unix ms. */
interface StoredMark {
  readonly owner?: FailureOwner;
  readonly note?: FailureNote;
  readonly quiet?: Omit<FailureQuiet, "ruled"> & {
    /** Lua's empty list is an object. */
    readonly ruled: readonly string[] | object;
  };
  readonly forgotten?: StoredFailure;
  readonly forgottenAt?: number;
}

/**
 * KEYS: 1 marks (hash: id → JSON of a StoredMark). ARGV: 1 { id, maxMarks, keptMs, note?: { text?, ticket? }, by,
 * quiet? (a FailureQuiet without its time, or null), owner? (a name, or null) }.
 * Effects: the given parts of the note change, the quiet and the owner. A mark without any is removed. So are those of
 * kinds that were forgotten keptMs ago, and above maxMarks that of the one forgotten longest ago. Run twice: the same, a
 * moment later.
 */
const markScript = luaScript("failures:mark")`${serverTimeLua}
local call = cjson.decode(ARGV[1])
local text = redis.call('HGET', KEYS[1], call.id)
local mark = text and cjson.decode(text) or {}
if call.note then
  local note = mark.note or { text = '', ticket = '' }
  note.text, note.ticket = call.note.text or note.text, call.note.ticket or note.ticket
  note.by, note.at = call.by, now
  mark.note = (note.text ~= '' or note.ticket ~= '') and note or nil
end
local function given(value) return value ~= cjson.null and value or nil end
if call.quiet then
  mark.quiet = given(call.quiet)
  if mark.quiet then mark.quiet.at = now end
end
if call.owner then mark.owner = given(call.owner) and { name = call.owner, at = now } end
if mark.note or mark.quiet or mark.owner then
  redis.call('HSET', KEYS[1], call.id, cjson.encode(mark))
else
  redis.call('HDEL', KEYS[1], call.id)
end

local oldest, oldestAt = nil, nil
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local at = cjson.decode(all[i + 1]).forgottenAt
  if at and at < now - call.keptMs then
    redis.call('HDEL', KEYS[1], all[i])
  elseif at and all[i] ~= call.id and (not oldestAt or at < oldestAt) then
    oldest, oldestAt = all[i], at
  end
end
if oldest and redis.call('HLEN', KEYS[1]) > call.maxMarks then redis.call('HDEL', KEYS[1], oldest) end
`;

export function createRedisFailureMarks(redis: StoreRedis, sourceId: SourceId): FailureMarks {
  const { failureMarks } = sourceKeys(redis.keyPrefix, sourceId);
  const change = async (call: object): Promise<void> => {
    const whole = { ...call, maxMarks, keptMs: marksKeptMs };
    await redis.run(markScript, [failureMarks], [JSON.stringify(whole)]);
  };
  return {
    async all() {
      const entries = toHashEntries(await redis.command("HGETALL", failureMarks));
      return new Map(entries.map(([id, text]) => [id, toMark(id, JSON.parse(text) as StoredMark)]));
    },
    note: (id, note, by) => change({ id, note, by }),
    own: (id, owner) => change({ id, owner }),
    quiet: (id, quiet) => change({ id, quiet }),
  };
}

function toMark(id: string, { owner, note, quiet, forgotten }: StoredMark): FailureMark {
  return {
    owner: owner ?? null,
    note: note ?? null,
    quiet: quiet === undefined ? null : { ...quiet, ruled: Array.isArray(quiet.ruled) ? quiet.ruled : [] },
    forgotten: forgotten === undefined ? null : toRecorded(id, forgotten),
  };
}
