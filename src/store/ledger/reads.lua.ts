import { defineLedgerScript } from "./prelude.lua.ts";

/** now: ARGV[4] {}. Returns: the stamp. Effects: sets the epoch if there is none. */
export const nowScript = defineLedgerScript("now", `return stamped({})`);

/**
 * look: reads entries, and renews those that are listed.
 *
 * ARGV[4]: { dlqIds, areListed }. Returns: array of the stamp and each entry's JSON, or nil if there is none,
 * in order.
 * Effects: none, unless the records are listed just now. Then published and archived entries record that. All
 * but cool (unless released) live on: gone for the life of a tombstone, others for the retention. Not counted
 * in the sequence: losing it loses nothing.
 */
export const lookScript = defineLedgerScript(
  "look",
  `
local function recordListed(id, e)
  if e.s == 'published' or e.s == 'archived' then
    e.w = now
    put(id, e)
  elseif e.s == 'open' or e.s == 'parked' or e.rel then
    redis.call('PEXPIRE', prefix .. id, limits.retention)
    if e.s == 'parked' then indexParked(id) end
  elseif e.s == 'gone' then
    redis.call('PEXPIRE', prefix .. id, limits.tombstone)
  end
end

local answer = { false }
for i, id in ipairs(call.dlqIds) do
  local e = read(id)
  if e and call.areListed then recordListed(id, e) end
  answer[i + 1] = e and cjson.encode(e) or false
end
wrote = false
answer[1] = stamped({})
return answer
`,
);

/**
 * page: members of an index, oldest first, with their entries.
 *
 * ARGV[4]: { index: open | pending, limit, offset, drain?, unlistedSince? }: of open only unknown outcomes;
 * drain and unlistedSince narrow to entries of that drain from before it and not listed since. Those of
 * another version are passed over.
 * Returns: array of the stamp, how many living members were walked (at most 20 times limit), then dlqId and
 * entry JSON alternating. Effects: members whose entry has expired are dropped from the indexes.
 */
export const pageScript = defineLedgerScript(
  "page",
  `
local index = call.index == 'open' and openKey or pendingKey
local ceiling = '+inf'
if call.index == 'open' then ceiling = '(' .. string.format('%.0f', now - limits.takeover) end

local function wanted(text)
  local e = decode(text)
  if e.s == 'other-version' then return false end
  if not call.unlistedSince then return true end
  return e.d == call.drain and e.at < call.unlistedSince and (e.w or 0) < call.unlistedSince
end

local found, walked, full = {}, 0, false
for _ = 1, 20 do
  local members = redis.call('ZRANGEBYSCORE', index, '-inf', ceiling, 'LIMIT', call.offset + walked, call.limit)
  for _, id in ipairs(members) do
    local text = redis.call('GET', prefix .. id)
    if not text then
      forget(id)
    elseif not full then
      walked = walked + 1
      if wanted(text) then
        found[#found + 1] = id
        found[#found + 1] = text
        full = #found == 2 * call.limit
      end
    end
  end
  if full or #members == 0 then break end
end
local answer = { stamped({}), walked }
for i = 1, #found do answer[i + 2] = found[i] end
return answer
`,
);

/**
 * parked: a part of what is parked, in no order.
 *
 * ARGV[4]: { cursor }: '0' begins. Returns: array of the stamp, the next cursor ('0' at the end), then dlqId
 * and entry JSON alternating.
 * Effects: members whose entry is no longer there, or no longer parked, leave the index; those of another
 * version stay.
 */
export const parkedScript = defineLedgerScript(
  "parked",
  `
local page = redis.call('ZSCAN', parkedKey, call.cursor, 'COUNT', 100)
local answer = { stamped({}), page[1] }
for i = 1, #page[2], 2 do
  local id = page[2][i]
  local text = redis.call('GET', prefix .. id)
  local state = text and decode(text).s
  if state == 'parked' then
    answer[#answer + 1] = id
    answer[#answer + 1] = text
  elseif state ~= 'other-version' then
    redis.call('ZREM', parkedKey, id)
  end
end
return answer
`,
);
