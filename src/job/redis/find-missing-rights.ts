import { isRedisSilent } from "../contracts/errors.ts";
import type { RedisConnection } from "./connect.ts";
import type { RedisProblem } from "./judge-server.ts";
import { toNeededRights, type NeededRights } from "./needed-rights.ts";
import { deniedRight, isDenied } from "./translate-error.ts";

/**
 * ARGV[1]: the needed rights as JSON. ARGV[2]: `ask`, or `try`. Asks of each call on each key if this user may make it.
 * Before Redis 7, and for a command that the server does not know, the call is made: it is harmless (needed-rights.ts).
 * Answers how (`asked` or `tried`), then {index of the rights, command, error} of each call that is refused.
 */
const lua = `
local asks = ARGV[2] == 'ask' and redis.acl_check_cmd or nil
local answer = { asks and 'asked' or 'tried' }
for index, rights in ipairs(cjson.decode(ARGV[1])) do
  for _, key in ipairs(rights.keys) do
    for _, form in ipairs(rights.calls) do
      local call = {}
      for i, word in ipairs(form) do call[i] = word == '$' and key or word end
      local isKnown, may = false, false
      if asks then isKnown, may = pcall(asks, unpack(call)) end
      if not (isKnown and may) then
        local reply = redis.pcall(unpack(call))
        local text = type(reply) == 'table' and reply.err or ''
        local name = form[1] .. (rights.pattern == cjson.null and string.match(form[1], '^cl') and '|' .. form[2] or '')
        if isKnown then text = 'NOPERM ' .. text end
        if text ~= '' and not string.find(text, '^WRONGTYPE') then answer[#answer + 1] = { index - 1, name, text } end
      end
    end
  end
end
return cjson.encode(answer)
`;

type Refused = readonly [rights: number, command: string, error: string];

/**
 * One problem if this user lacks a right that the daemon and its queue need, with the line that gives it. A server that
 * cannot run the question, for another reason than rights, is not judged by it. Fails with `redis-unavailable`.
 */
export async function findMissingRights(
  redis: RedisConnection,
  sources: readonly string[],
  how: "ask" | "try" = "ask",
): Promise<readonly RedisProblem[]> {
  const needed = toNeededRights(redis.keyPrefix, sources, redis);
  const missing = new Set<string>();
  const unknown = new Set<string>();
  try {
    for (const { reply } of await redis.askMasters("EVAL", lua, 0, JSON.stringify(needed), how)) {
      const [asked, ...refused] = JSON.parse(String(reply)) as [string, ...Refused[]];
      for (const right of toRights(needed, refused)) missing.add(right);
      if (asked === "asked") for (const command of toUnknown(refused)) unknown.add(command);
      // Before Redis 7 no script may call it. Its key is not there, or is a text.
      else if (await isCallDenied(redis, "BZPOPMIN", keyOf(needed), "0.001")) missing.add("+bzpopmin");
    }
  } catch (error) {
    if (isRedisSilent(error)) throw error;
    if (!isDenied(error)) return [];
    // Without scripts nothing more can be asked.
    missing.add("+eval");
    if (await isCallDenied(redis, "EVALSHA", "x", 0)) missing.add("+evalsha");
  }
  return [
    ...(missing.size === 0 ? [] : [toMissing(redis.user, [...missing].toSorted().join(" "))]),
    ...(unknown.size === 0 ? [] : [toRenamed([...unknown].toSorted().join(", "))]),
  ];
}

function toMissing(user: string, rights: string): RedisProblem {
  const message = `expected the Redis user ${user} to have the rights of docs/redis.md, got NOPERM for ${rights}; run ACL SETUSER ${user} ${rights}, and keep it in the server's list of users (redis-unsuitable)`;
  return { kind: "missing-right", weight: "refuse", message };
}

function toRenamed(commands: string): RedisProblem {
  const message = `expected Redis to know ${commands}, got an unknown command; let redriver use it by this name (rename-command; redis-unsuitable)`;
  return { kind: "missing-right", weight: "refuse", message };
}

/** The rights behind refusals, as ACL SETUSER takes them. */
function toRights(needed: readonly NeededRights[], refused: readonly Refused[]): readonly string[] {
  const denied = refused.filter(([, , error]) => isDenied(error));
  const withoutKeys = new Set(denied.flatMap(([index, , error]) => (namesKeys(error) ? [index] : [])));
  return denied.flatMap(([index, command, error]) => {
    if (namesKeys(error)) return needed[index]?.pattern ?? [];
    // No script may call it, so Redis gives no reason. If the keys are missing, they are the reason.
    return error.includes("not allowed from script") && withoutKeys.has(index) ? [] : `+${command}`;
  });
}

const namesKeys = (error: string): boolean => /\bkeys?\b/i.test(error);

function toUnknown(refused: readonly Refused[]): readonly string[] {
  return refused.flatMap(([, command, error]) => (/unknown redis command/i.test(error) ? [command] : []));
}

const keyOf = (needed: readonly NeededRights[]): string => needed.at(-1)?.keys[0] ?? "";

async function isCallDenied(
  redis: RedisConnection,
  ...call: readonly [string, ...(string | number)[]]
): Promise<boolean> {
  try {
    await redis.command(...call);
    return false;
  } catch (error) {
    return deniedRight(error) !== null;
  }
}
